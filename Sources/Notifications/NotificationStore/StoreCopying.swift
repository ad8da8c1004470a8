import NotificationServerCore
import SQLiteKit

extension SQLiteNotificationStore {
  /// Copies a database to a new file, also while a store uses it: everything that was answered before.
  public static func copy(databaseFile: String, to path: String) throws(NotificationStoreError) {
    do throws(SQLiteError) {
      let connection = try SQLiteConnection(path: databaseFile, access: .readOnly)
      try connection.setBusyTimeout(milliseconds: 5000)
      try connection.backUp(to: path)
    } catch {
      throw NotificationStoreError(error)
    }
  }
}
