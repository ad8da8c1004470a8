import ArgumentParser
import ProfileImport
import ProgramSupport

/// Moves a profile of the reference app in.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Import a profile of the reference app: PREFIX_chat.db and PREFIX_agent.db.",
    discussion: """
      The app must be stopped, and its profile must not be used again, there or anywhere else: messages are encrypted \
      with keys that may be used once. Its databases are only read, and get names that it does not open when the import \
      is complete.
      """)

  @Option(name: .long, help: "Path prefix of the databases of the reference app.")
  var from: String
  @Option(
    name: .customLong("from-key"),
    help: "Passphrase of the databases of the reference app, and of ours without --key. (default: that of --key)")
  var sourceKey: String?
  @Option(
    name: .customLong("from-key-file"),
    help: .init(
      "File with the passphrase of the databases of the reference app in its first line; - for the standard input.",
      valueName: "path"))
  var sourceKeyFile: String?
  @OptionGroup var database: DatabaseArguments
  @Flag(name: .long, help: "Show what an import would lose and skip; import nothing.")
  var report = false
  @Flag(name: .customLong("accept-losses"), help: "Import even though something would be lost.")
  var acceptsLosses = false

  func validate() throws {
    if sourceKey != nil, sourceKeyFile != nil {
      throw ValidationError("--from-key and --from-key-file exclude each other")
    }
  }

  func run() throws {
    CoreDumps.forbid()
    for note in SecretFile.notes([sourceKeyFile, database.keyFile]) { SimplexChatCommand.note(note) }
    let sourceKey = try sourceKey ?? SecretFile.read(SecretSource(file: sourceKeyFile))
    let key = try database.passphrase()
    var profile = ProfileImport(from: from, to: try database.prefix())
    // Never in the clear what was encrypted.
    profile.targetPassphrase = .passphrase(key.isEmpty ? sourceKey ?? "" : key)
    profile.sourcePassphrase = .passphrase(sourceKey ?? key)
    profile.acceptsLosses = acceptsLosses
    var progress = TransferProgress()
    do throws(ProfileImportError) {
      if report { return show(try profile.survey { progress.show($0, of: $1) }) }
      let result = try profile.run { progress.show($0, of: $1) }
      print(lines: result.lines)
      if result.isResumed { print("An earlier import was interrupted; it is finished.") }
      print(
        "Imported to \(profile.target). The databases of the app stay as "
          + "\(from)_*.db\(result.suffix ?? ProfileImport.importedSuffix).")
      print("Only one copy of a profile may run: never open the old one again, and import no copy of it elsewhere.")
    } catch {
      progress.end()
      if case .wouldLose(let report) = error { for line in report.lines { SimplexChatCommand.note(line) } }
      switch error {
      case .notRetired, .notNoted: SimplexChatCommand.note("\(error)")
      default: SimplexChatCommand.note("nothing was imported: \(error)")
      }
      if case .wouldLose = error { SimplexChatCommand.note("Import anyway with --accept-losses.") }
      throw ExitCode.failure
    }
  }

  private func show(_ report: ImportReport) {
    if report.losses.isEmpty { print("Nothing would be lost.") }
    print(lines: report.lines)
  }

  private func print(lines: [String]) { for line in lines { Swift.print(line) } }

  private func print(_ line: String) { Swift.print(line) }
}
