import FileAccess
import QueueStore
import RelayChassis
import RelayCommands
import SMPServer

extension SMPServerCommand: BackedUpRelay {
  static var restoreConsequence: String {
    "What clients have received since the backup comes again; what was sent and not received since is lost."
  }

  static var otherFiles: [String] { [folders.notificationsFile] }

  private static func databaseName(in data: String) -> String {
    ServerFolders(configuration: folders.configuration, data: data).databaseFile
  }

  static func backUpContent(to data: String) async throws -> [String] {
    let database = folders.databaseFile
    guard PathStatus.exists(database) else { return ["There are no stored queues and messages."] }
    let copy: StoreCopy
    do { copy = try await StoreCopy(of: database, to: databaseName(in: data)) } catch {
      throw fail("\(database) cannot be copied: \(error.sentence)")
    }
    return copy.notices.map { "Warning: \($0)" } + [
      "Copied \(copy.counts.queues) queues with \(copy.counts.messages) messages"
    ]
  }

  static func restoreContent(from data: String, settings: ServerINI) async throws {
    let copy = databaseName(in: data)
    for suffix in ["", "-messages"] where PathStatus.exists(copy + suffix) {
      try WholeFile.copy(copy + suffix, to: folders.databaseFile + suffix)
    }
  }
}
