import Foundation
import RelayChassis
import SMPProtocol
import SMPServer
import SQLiteKit
import SimplexCrypto
import Synchronization
import Testing

/// The commands `backup` and `restore`, as an operator gives them.
@Suite(.serialized, .timeLimit(.minutes(5))) struct BackupTests {
  /// What senders know of the messages of a queue.
  private struct Sent {
    /// Those that the relay said OK to.
    var accepted: Set<[UInt8]> = []
    /// All that were sent.
    var all: Set<[UInt8]> = []
  }

  /// What several senders share.
  private final class Load: Sendable {
    let sent: Mutex<[Sent]>
    let isOver = Mutex(false)

    init(queues: Int) { sent = Mutex([Sent](repeating: Sent(), count: queues)) }
  }

  /// Runs a command on a thread of its own, so that clients go on.
  private static func run(_ program: ServerProgram, _ arguments: [String]) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: Result { try program.run(arguments) }) }
    }
  }

  private static func failure(_ program: ServerProgram, _ arguments: [String]) throws -> String {
    do { _ = try program.run(arguments) } catch let error as ServerProgram.Failed { return error.output }
    Issue.record("\(arguments) did not fail")
    return ""
  }

  private static func initialized() throws -> ServerProgram {
    let program = try ServerProgram()
    try program.run(["init", "-y", "--password", "a-password", "--ip", "127.0.0.1", "--port", "0"])
    // The clients of these tests know no password.
    let ini = program.folder.appending(path: "config/smp-server.ini")
    let text = try String(contentsOf: ini, encoding: .utf8)
    try text.replacing("create_password", with: "# create_password").write(to: ini, atomically: true, encoding: .utf8)
    return program
  }

  /// All messages of a queue, which are removed.
  private static func drain(_ queue: TestQueue, _ process: ServerProgram.Running) async throws -> [[UInt8]] {
    let client = try await process.client()
    var bodies: [[UInt8]] = []
    while case .msg(let message) = try await client.ask(.get, queue.recipient, key: queue.key) {
      let (id, body) = try queue.body(.msg(message))
      bodies.append(body)
      #expect(try await client.acknowledge(id, queue) == .ok)
    }
    return bodies
  }

  /// Backups of a running relay have everything that was answered before they were begun, also while messages are moved
  /// from the journal to the database, and can be started elsewhere.
  @Test func aBackupOfARunningRelayUnderLoad() async throws {
    let program = try Self.initialized()
    defer { program.remove() }
    let process = try await program.start()
    let setup = try await process.client()
    var queues: [TestQueue] = []
    for _ in 0..<24 {
      var queue = try await setup.newQueue(subscription: .onlyCreate)
      try await setup.secure(&queue, kind: .ed25519)
      queues.append(queue)
    }
    let load = Load(queues: queues.count)
    var backups: [(path: String, before: [Set<[UInt8]>])] = []
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, queue) in queues.enumerated() {
        group.addTask {
          let client = try await process.client()
          var random = SystemRandom()
          while !load.isOver.withLock({ $0 }) {
            let body = random.bytes(15_900)
            load.sent.withLock { _ = $0[index].all.insert(body) }
            // A full queue accepts nothing more.
            guard try await client.sendMessage(body, to: queue) == .ok else { return }
            load.sent.withLock { _ = $0[index].accepted.insert(body) }
          }
        }
      }
      for number in 0..<5 {
        // Each begins at another state of the journal.
        while load.sent.withLock({ $0.reduce(0) { $0 + $1.accepted.count } }) < 100 + 400 * number {
          await Task.yield()
        }
        let path = program.folder.appending(path: "backup-\(number)").path
        let before = load.sent.withLock { $0.map(\.accepted) }
        let text = try await Self.run(program, ["backup", path])
        #expect(text.contains("Copied \(queues.count) queues") && text.contains("Backup: \(path)"), "\(text)")
        backups.append((path, before))
      }
      load.isOver.withLock { $0 = true }
      try await group.waitForAll()
    }
    let all = load.sent.withLock { $0.map(\.all) }
    for backup in backups {
      let other = try ServerProgram()
      defer { other.remove() }
      try other.run(["restore", backup.path])
      let copy = try await other.start()
      #expect(copy.fingerprint == process.fingerprint)
      for (index, queue) in queues.enumerated() {
        let received = try await Self.drain(queue, copy)
        #expect(backup.before[index].subtracting(received).isEmpty, "messages are missing in \(backup.path)")
        #expect(Set(received).isSubset(of: all[index]) && Set(received).count == received.count)
      }
      copy.terminate()
      try await copy.waitForExit()
    }
    // The relay is not disturbed.
    for (index, queue) in queues.enumerated() {
      let received = try await Self.drain(queue, process)
      #expect(load.sent.withLock { $0[index].accepted }.subtracting(received).isEmpty)
    }
    process.terminate()
    try await process.waitForExit()
    let rest = process.rest()
    #expect(!rest.contains("fails"), "\(rest)")
  }

  /// What a kill leaves in the journal is in a backup too, and the files of the stopped relay stay as they are.
  @Test func aBackupAfterAKill() async throws {
    let program = try Self.initialized()
    defer { program.remove() }
    let process = try await program.start()
    let client = try await process.client()
    let queue = try await client.newQueue(subscription: .onlyCreate)
    for number in UInt8(0)..<3 {
      #expect(try await client.sendMessage([UInt8](repeating: number, count: 9), to: queue) == .ok)
    }
    process.kill()
    let journal = URL(filePath: program.database + "-messages")
    let before = try Data(contentsOf: journal)
    let path = program.folder.appending(path: "copy").path
    #expect(try program.run(["backup", path]).contains("Copied 1 queues with 3 messages"))
    #expect(try Data(contentsOf: journal) == before)
    for file in ["configuration/smp-server.ini", "configuration/ca.key", "data/smp-server.db"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/\(file)")
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file)")
    }
    let other = try ServerProgram()
    defer { other.remove() }
    #expect(try other.run(["restore", path]).contains("Restored to"))
    #expect(try other.run(["check"]).contains("No problems found"))
    let again = try await other.start()
    #expect(try await Self.drain(queue, again).count == 3)
    again.terminate()
    try await again.waitForExit()
  }

  /// The journal of a later state, whose database was moved away, is not taken for a part of the backup.
  @Test func aJournalThatWasLeftIsNotMixedIn() async throws {
    let program = try Self.initialized()
    defer { program.remove() }
    let process = try await program.start()
    let client = try await process.client()
    let queue = try await client.newQueue(subscription: .onlyCreate)
    #expect(try await client.sendMessage([1], to: queue) == .ok)
    let path = program.folder.appending(path: "copy").path
    _ = try await Self.run(program, ["backup", path])
    #expect(try await client.sendMessage([2], to: queue) == .ok)
    process.kill()
    var refusals = 0
    while refusals < 30 {
      let text: String
      do {
        _ = try program.run(["restore", path])
        break
      } catch let error as ServerProgram.Failed { text = error.output }
      refusals += 1
      // The operator moves away what is in the way.
      let file = try #require(text.firstMatch(of: /(\/\S+) exists; a backup is restored/), "\(text)").1
      try FileManager.default.removeItem(atPath: String(file))
    }
    let again = try await program.start()
    let received = try await Self.drain(queue, again)
    #expect(received.count == 1)
    again.terminate()
    try await again.waitForExit()
  }

  /// A restoration that fails, because another one was faster, leaves what that one has made.
  @Test func twoRestorationsAtOnce() async throws {
    let program = try Self.initialized()
    defer { program.remove() }
    let path = program.folder.appending(path: "copy").path
    try program.run(["backup", path])
    let other = try ServerProgram()
    defer { other.remove() }
    let config = other.folder.appending(path: "config").path
    let folders = ServerFolders(configuration: config, data: other.folder.appending(path: "data").path)
    let slow = RelayBackup(path, of: folders)
    await #expect(throws: (any Error).self) {
      try await slow.restore { _ in try other.run(["restore", path]) }
    }
    #expect(try other.run(["check-config"]).contains("can be used"))
  }

  /// Neither command replaces anything.
  @Test func nothingIsReplaced() throws {
    let program = try Self.initialized()
    defer { program.remove() }
    let path = program.folder.appending(path: "copy").path
    #expect(try program.run(["backup", path]).contains("There are no stored queues and messages"))
    #expect(try Self.failure(program, ["backup", path]).contains("\(path) exists; a backup replaces nothing"))
    #expect(
      try Self.failure(program, ["restore", path]).contains("exists; a backup is restored where there is no server"))
    try program.run(["delete", "-y"])
    #expect(try Self.failure(program, ["restore", path + "/data"]).contains("is no backup of this server"))
    #expect(try Self.failure(program, ["backup", path + "2"]).contains("there is no server in"))
    let address = try program.run(["restore", path])
    #expect(address.contains("Start the server with: smp-server start"))
    #expect(try program.run(["check-config"]).contains("can be used"))
  }

  #if os(Linux)
    @Test func aRestorationThatFailsLeavesNothing() throws {
      let program = try Self.initialized()
      defer { program.remove() }
      let path = program.folder.appending(path: "copy").path
      try program.run(["backup", path])
      let other = try ServerProgram()
      defer { other.remove() }
      // A file that cannot be read.
      try FileManager.default.removeItem(atPath: path + "/configuration/ca.crt")
      try FileManager.default.createSymbolicLink(
        atPath: path + "/configuration/ca.crt", withDestinationPath: "/proc/self/mem")
      #expect(try Self.failure(other, ["restore", path]).contains("nothing was restored"))
      let names = try FileManager.default.contentsOfDirectory(atPath: other.folder.appending(path: "config").path)
      #expect(names.isEmpty, "\(names)")
    }
  #endif

  /// Journals that were set aside go with everything else.
  @Test func aDeletionRemovesWhatWasSetAside() throws {
    let program = try Self.initialized()
    defer { program.remove() }
    for suffix in ["-messages", "-messages.aside", "-messages.aside2"] {
      try Data("x".utf8).write(to: URL(filePath: program.database + suffix))
    }
    try program.run(["delete", "-y"])
    #expect(!FileManager.default.fileExists(atPath: program.folder.appending(path: "data").path))
  }
}
