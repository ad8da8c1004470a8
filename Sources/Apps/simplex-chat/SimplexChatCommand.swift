import ArgumentParser
import ChatTerminal
import FileAccess
import ProfileImport
import ProgramSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The terminal client.
@main
struct SimplexChatCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simplex-chat", abstract: "Chat in a terminal, execute single commands, or serve bots.",
    version: ProgramVersion.text(of: "SimpleX Chat", compatibleWith: TerminalOptions.coreVersion),
    subcommands: [ImportCommand.self, ExportCommand.self, BackupCommand.self, RestoreCommand.self])

  @OptionGroup(title: "Databases") var database: DatabaseArguments
  @OptionGroup(title: "Servers and network") var network: NetworkArguments
  @OptionGroup(title: "Ways to run") var running: RunningArguments
  @OptionGroup(title: "Files") var files: FileArguments
  @OptionGroup(title: "Output") var output: OutputArguments
  @OptionGroup(title: "Tests") var testing: TestArguments

  func run() async throws {
    guard !output.showsVersion else { return print(Self.configuration.version) }
    CoreDumps.forbid()
    _ = OpenFileLimit.raise()
    for note in files.notes + output.notes + database.notes + SecretFile.notes([running.tokenFile, network.serverFile])
    {
      SimplexChatCommand.note(note)
    }
    var options = TerminalOptions(databasePrefix: try database.prefix())
    if let source = ProfileImport.unfinishedSource(of: options.databasePrefix) {
      SimplexChatCommand.note(
        "The import from \(source) was interrupted: never open the databases there with the old app. To finish it, "
          + "repeat with the same passphrases: simplex-chat import --from \(source) -d \(options.databasePrefix)")
    }
    options.programName = Self.configuration.version
    try database.apply(to: &options)
    try network.apply(to: &options)
    try running.apply(to: &options)
    files.apply(to: &options)
    output.apply(to: &options)
    testing.apply(to: &options)
    let signals = StopSignals()
    let app = Task { [options] in
      do throws(TerminalApp.Failure) {
        try await TerminalApp.run(options)
        return true
      } catch {
        for line in error.lines { SimplexChatCommand.note(line) }
        return false
      }
    }
    let stopping = Task {
      await signals.wait()
      app.cancel()
    }
    let isFine = await app.value
    stopping.cancel()
    if !isFine { throw ExitCode.failure }
  }

  /// Writes a line to standard error.
  static func note(_ line: String, terminator: String = "\n") {
    var text = line + terminator
    text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
