import ArgumentParser
import RelayChassis

/// A relay that can be copied while it runs, and made from a copy.
public protocol BackedUpRelay: RelayMain {
  /// The files in its folder of data that are copied besides the database and what every relay has.
  static var otherFiles: [String] { get }
  /// A sentence about data that a restoration loses, and data that comes again.
  static var restoreConsequence: String { get }
  /// Copies what its clients have stored to a folder.
  /// - Returns: What was copied, and notices for the operator, a sentence each.
  static func backUpContent(to data: String) async throws -> [String]
  /// Copies what ``backUpContent(to:)`` has made to the folders of the relay, which has none of these files.
  /// - Parameter settings: the settings of the backup.
  static func restoreContent(from data: String, settings: ServerINI) async throws
}

extension BackedUpRelay {
  /// None by default.
  public static var otherFiles: [String] { [] }
}

/// Copies a relay into a new folder, also while it runs.
public struct BackupCommand<Program: BackedUpRelay>: AsyncParsableCommand {
  /// The name and what the help says.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "backup", abstract: "Copy the server into a new folder, also while it runs.",
      discussion: """
        Run it as the user of the server, or as root. The copy is that of one moment, and contains everything that was \
        answered before. It contains the keys of the server and its passwords: keep it where nobody else can read it.
        """)
  }

  @Argument(help: "The folder to create.")
  var folder: String

  public init() {}

  /// Makes the backup, and says what it contains.
  public func run() async throws {
    let backup = RelayBackup(folder, of: Program.folders, others: Program.otherFiles)
    var lines: [String] = []
    try await backup.make { data in lines = try await Program.backUpContent(to: data) }
    for line in lines { print(line) }
    print("Backup: \(backup.path)")
  }
}

/// Makes a relay from a backup.
public struct RestoreCommand<Program: BackedUpRelay>: AsyncParsableCommand {
  /// The name and what the help says.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "restore", abstract: "Make the server from a backup, where there is none.",
      discussion: """
        Run it as the user of the server. Nothing is replaced: there must be no server in its folders. Only one copy of a \
        server may run: stop the one that the backup was made of.
        """)
  }

  @Argument(help: "The folder that backup has made.")
  var folder: String

  public init() {}

  /// Restores, and says what to do next.
  public func run() async throws {
    let folders = Program.folders
    let backup = RelayBackup(folder, of: folders, others: Program.otherFiles)
    let settings = try ServerINI(try backup.settingsText())
    try await backup.restore { data in try await Program.restoreContent(from: data, settings: settings) }
    print("Restored to \(folders.configuration) and \(folders.data)")
    print(Program.restoreConsequence)
    print("Start the server with: \(Program.program) start")
  }
}
