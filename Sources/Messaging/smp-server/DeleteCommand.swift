import ArgumentParser
import FileAccess
import QueueStore
import SMPServer

/// Deletes the identity, the settings and everything that is stored.
struct DeleteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete the server with all its queues. This cannot be undone.")

  @Flag(name: [.customShort("y"), .long], help: "Do not ask.")
  var yes = false

  func run() async throws {
    let folders = SMPServerCommand.folders
    // With journals that were set aside.
    let journals = folders.dataFiles(named: "\(ServerFolders.filePrefix).db-messages")
    try await folders.delete(
      [folders.databaseFile + "-messages", folders.notificationsFile] + journals,
      asking: yes ? nil : "All queues and messages are lost, and the server's identity with them."
    ) {
      try await requireStopped(folders)
    }
  }

  /// A running server would go on without its files.
  private func requireStopped(_ folders: ServerFolders) async throws {
    guard PathStatus.exists(folders.databaseFile) else { return }
    do { try SQLiteQueueStore.requireUnused(path: folders.databaseFile) } catch {
      guard error == .unavailable else { return }
      let holder = LockHolder.note(of: folders.databaseFile + "-messages")
      throw SMPServerCommand.fail("nothing was deleted: the server is running\(holder); stop it first")
    }
  }
}
