import FileAccess
import NotificationServer
import NotificationStore
import RelayChassis
import RelayCommands

extension NtfServerCommand: BackedUpRelay {
  static var restoreConsequence: String {
    "Devices that registered since the backup register again by themselves; those that were deleted since are back."
  }

  private static func databaseName(in data: String) -> String {
    NotificationServerFolders(configuration: folders.configuration, data: data).databaseFile
  }

  static func backUpContent(to data: String) async throws -> [String] {
    let database = folders.databaseFile
    guard PathStatus.exists(database) else { return ["There are no stored tokens."] }
    do {
      try SQLiteNotificationStore.copy(databaseFile: database, to: databaseName(in: data))
    } catch {
      throw fail("\(database) cannot be copied: \(error)")
    }
    return ["Copied the database"]
  }

  static func restoreContent(from data: String, settings: ServerINI) async throws {
    let copy = databaseName(in: data)
    guard PathStatus.exists(copy) else { return }
    try WholeFile.copy(copy, to: folders.databaseFile)
  }
}
