import ArgumentParser
import ChatTerminal
import FileAccess
import ProgramSupport

/// Makes an archive of the profile.
struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copy the profile into an archive, while no program uses it.",
    discussion: """
      The profile stays as it is, and can be used again. A missing passphrase is asked for, or read from the standard \
      input where that is no terminal. Only one copy of a profile may be used: restore a backup only where the original \
      is lost, and was not used after it. docs/backup.md has more.
      """)

  @Argument(help: "Path of the new archive; an existing file is not replaced.")
  var archive: String
  @OptionGroup var database: DatabaseArguments
  /// The group of the parent command, whose parser would otherwise take `--files-folder`.
  @OptionGroup(title: "Files: those in --files-folder go into the archive; the other options have no effect")
  var files: FileArguments

  func run() async throws {
    let options = try BackupOptions.options(database, files)
    try await BackupOptions.perform { [archive] () async throws(TerminalApp.Failure) in
      try await ProfileBackup(options, archive: archive).make()
    }
  }
}

/// Makes a profile of an archive.
struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Make the profile of an archive, where there is none.",
    discussion: """
      Nothing is replaced. A missing passphrase is asked for, or read from the standard input where that is no terminal. \
      Only one copy of a profile may be used: end the programs that used the original, and remove it.
      """)

  @Argument(help: "Path of the archive.")
  var archive: String
  @OptionGroup var database: DatabaseArguments
  /// The group of the parent command, whose parser would otherwise take `--files-folder`.
  @OptionGroup(title: "Files: those of the archive go into --files-folder; the other options have no effect")
  var files: FileArguments

  func run() async throws {
    let options = try BackupOptions.options(database, files)
    try await BackupOptions.perform { [archive] () async throws(TerminalApp.Failure) in
      try await ProfileBackup(options, archive: archive).restore()
    }
  }
}

/// The options of both commands, and printing of their results.
private enum BackupOptions {
  static func options(_ database: DatabaseArguments, _ files: FileArguments) throws -> TerminalOptions {
    CoreDumps.forbid()
    _ = OpenFileLimit.raise()
    var options = TerminalOptions(databasePrefix: try database.prefix())
    for note in database.notes { SimplexChatCommand.note(note) }
    try database.apply(to: &options)
    options.filesFolder = files.filesFolder
    return options
  }

  static func perform(
    _ body: @escaping @Sendable () async throws(TerminalApp.Failure) -> ProfileBackup.Result
  ) async throws {
    // A question for a passphrase ends with the first signal: the terminal would go on without showing what is typed.
    let signals = StopSignals()
    let work = Task { () -> Result<ProfileBackup.Result, TerminalApp.Failure> in
      do throws(TerminalApp.Failure) { return .success(try await body()) } catch { return .failure(error) }
    }
    let stopping = Task {
      await signals.wait()
      work.cancel()
    }
    let result: ProfileBackup.Result
    do throws(TerminalApp.Failure) { result = try await work.value.get() } catch {
      for line in error.lines { SimplexChatCommand.note(line) }
      throw ExitCode.failure
    }
    stopping.cancel()
    for line in result.lines { print(line) }
    for problem in result.problems { SimplexChatCommand.note(problem) }
    if !result.problems.isEmpty { throw ExitCode.failure }
  }
}
