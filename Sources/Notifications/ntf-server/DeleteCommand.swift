import ArgumentParser
import FileAccess
import NotificationServer
import NotificationServerCore
import NotificationStore
import RelayChassis

/// Deletes the identity, the settings and everything that is stored.
struct DeleteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete the server with all its files. This cannot be undone.")

  @Flag(name: [.customShort("y"), .long], help: "Do not ask.")
  var yes = false

  func run() async throws {
    let folders = NtfServerCommand.folders
    try await folders.delete(
      asking: yes ? nil : "All tokens are lost, and the server's identity with them."
    ) {
      guard PathStatus.exists(folders.databaseFile) else { return }
      do throws(NotificationStoreError) {
        await (try SQLiteNotificationStore(databaseFile: folders.databaseFile)).close()
      } catch {
        // A damaged store does not prevent deleting it.
        if error == .inUse {
          let holder = LockHolder.note(of: folders.databaseFile + ".lock")
          throw NtfServerCommand.fail("nothing was deleted: the server is running\(holder); stop it first")
        }
      }
    }
  }
}
