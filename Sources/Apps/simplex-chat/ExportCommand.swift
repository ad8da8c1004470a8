import ArgumentParser
import ChatTerminal
import ProfileImport
import ProgramSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Exports a profile for the reference app.
struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Export the profile as an archive for the reference app, and seal it.",
    discussion: """
      The export seals the profile: simplex-chat and the library refuse to open it afterwards, because messages are \
      encrypted with keys that may be used once. Import the archive on one device only. If the command was interrupted, \
      repeat it; never import a file that ends in .unfinished. docs/moving-in.md describes the steps, mistakes and the \
      way back.
      """)

  @Flag(name: .customLong("for-reference"), help: "Required: export for the reference app, version 7.0.")
  var isForReference = false
  @Option(name: .customLong("to"), help: "Path of the new archive; an existing file is not replaced.")
  var archive = "simplex-chat-export.zip"
  @Option(
    name: .customLong("to-key"),
    help: "Passphrase of the databases in the archive; empty for none. (default: that of --key)")
  var targetKey: String?
  @Option(
    name: .customLong("to-key-file"),
    help: .init(
      "File with the passphrase of the databases in the archive in its first line; - for the standard input.",
      valueName: "path"))
  var targetKeyFile: String?
  @OptionGroup var database: DatabaseArguments
  /// The group of the parent command, whose parser would otherwise take `--files-folder`.
  @OptionGroup(title: "Files: those in --files-folder go into the archive; the other options have no effect")
  var files: FileArguments
  @Flag(name: .long, help: "Show what an export would lose and skip; export nothing.")
  var report = false
  @Flag(name: .customLong("accept-losses"), help: "Export even though something would be lost.")
  var acceptsLosses = false
  @Flag(name: .long, help: "Seal the profile without asking; required where nobody can be asked.")
  var yes = false

  func validate() throws {
    if targetKey != nil, targetKeyFile != nil {
      throw ValidationError("--to-key and --to-key-file exclude each other")
    }
    guard isForReference else {
      throw ValidationError("Only exports for the reference app are made by this command: add --for-reference.")
    }
  }

  func run() async throws {
    CoreDumps.forbid()
    for note in SecretFile.notes([targetKeyFile, database.keyFile]) { SimplexChatCommand.note(note) }
    let key = try database.passphrase()
    let targetKey = try targetKey ?? SecretFile.read(SecretSource(file: targetKeyFile))
    if !report { try await confirm() }
    var profile = ProfileExport(
      from: try database.prefix(), to: archive, time: Int64(Date().timeIntervalSince1970))
    // Without --to-key the archive is encrypted like the profile.
    profile.sourcePassphrase = .passphrase(key)
    profile.targetPassphrase = .passphrase(targetKey ?? key)
    profile.acceptsLosses = acceptsLosses
    if let filesFolder = files.filesFolder { profile.folders = [(filesFolder, ProfileExport.filesFolder)] }
    var progress = TransferProgress()
    do throws(ProfileImportError) {
      if report { return show(try profile.survey()) }
      let result = try profile.run { progress.show($0, of: $1) }
      for line in result.lines(taken: "Exported:") { print(line) }
      if result.isResumed { print("An earlier export was interrupted; it is finished.") }
      if profile.folders.isEmpty, result.archive == nil {
        print("The archive contains no files: --files-folder was not given.")
      }
      print("The profile is sealed: it cannot be opened here any more. Import the archive on one device only:")
      print("  \(result.archive ?? archive)")
    } catch {
      progress.end()
      if case .wouldLose(let report) = error { for line in report.lines { SimplexChatCommand.note(line) } }
      switch error {
      case .sealed, .exportedBefore: SimplexChatCommand.note("\(error)")
      default: SimplexChatCommand.note("nothing was exported, and the profile is unchanged: \(error)")
      }
      if case .wouldLose = error {
        SimplexChatCommand.note(
          "Start simplex-chat online to finish these, then export again; or lose them with --accept-losses.")
      }
      throw ExitCode.failure
    }
  }

  /// Asks before the profile is sealed.
  private func confirm() async throws {
    guard !yes else { return }
    guard Prompt.isPossible else {
      throw ValidationError(
        "The export seals the profile: it cannot be opened here any more. Add --yes to export it without a question.")
    }
    print("The export seals the profile: it cannot be opened here any more, only in the app that imports the archive.")
    guard await Prompt.isConfirmed("Export and seal it?") else {
      SimplexChatCommand.note("Nothing was exported, and the profile is unchanged.")
      throw ExitCode.failure
    }
  }

  private func show(_ report: ImportReport) {
    if report.losses.isEmpty { print("Nothing would be lost.") }
    for line in report.lines(taken: "Exported:") { print(line) }
  }
}
