import AgentCore
import Foundation
import SMPProtocol
import SimplexCrypto
import Testing
import XFTPProtocol

@testable import SimplexAgent

@Suite("What is left of files that nobody wants any more", .timeLimit(.minutes(1)))
struct FileRemovalTests {
  private func draft(of file: AgentFileID, _ agent: FileAgent) -> String { "\(agent.folder)/.\(file.text).part" }

  /// A process that ends after a file is forgotten, and before anything is removed, leaves nothing for ever.
  @Test func isRemovedAtTheNextStart() async throws {
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()])
    let (_, recipients) = try await alice.send(randomBytes(100))
    try await alice.agent.setNetwork(online: false)
    let file = newFileID()
    try await alice.agent.receiveFile(
      file, user: alice.user, recipients[0], to: alice.destination(), approvedRelays: true)
    try Data([1]).write(to: URL(filePath: draft(of: file, alice)))
    _ = try await alice.agent.change { (engine, now) throws(AgentError) in
      try engine.deleteReceivedFiles([file], now: now)
    }
    try await alice.restart()
    while FileManager.default.fileExists(atPath: draft(of: file, alice)) {
      try await Task.sleep(for: .milliseconds(5))
    }
    while try await !alice.agent.rows(of: "SELECT id FROM received_files").isEmpty {
      try await Task.sleep(for: .milliseconds(5))
    }
    await alice.agent.close()
    await relay.stop()
  }

  /// Whoever forgets a file, or deletes its user, does not wait for the disk.
  @Test(arguments: [false, true]) func isRemovedWhenTheDiskIsSlow(deletesUser: Bool) async throws {
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()])
    let (_, recipients) = try await alice.send(randomBytes(100))
    let file = newFileID()
    // Opening this blocks until somebody reads.
    let path = draft(of: file, alice)
    #expect(mkfifo(path, 0o600) == 0)
    try await alice.agent.receiveFile(
      file, user: alice.user, recipients[0], to: alice.destination(), approvedRelays: true)
    while try await alice.agent.rows(of: "SELECT id FROM received_files WHERE status = 1").isEmpty {
      try await Task.sleep(for: .milliseconds(5))
    }
    // Till the file is being opened.
    try await Task.sleep(for: .milliseconds(300))
    if deletesUser {
      try await alice.agent.deleteUser(alice.user, deletingQueues: false)
    } else {
      try await alice.agent.deleteReceivedFiles([file])
    }
    #expect(FileManager.default.fileExists(atPath: path))
    let reader = open(path, O_RDONLY | O_NONBLOCK)
    #expect(reader >= 0)
    defer { close(reader) }
    while FileManager.default.fileExists(atPath: path) { try await Task.sleep(for: .milliseconds(5)) }
    try await alice.settle()
    #expect(!FileManager.default.fileExists(atPath: alice.destination().path))
    await alice.agent.close()
    await relay.stop()
  }
}
