import Foundation
import NotificationProtocol
import NotificationServerCore
import NotificationStore
import SMPProtocol
import SimplexCrypto
import Testing
import WireCodec

/// A store in a folder of its own, and clients of it.
final class TestStore: Sendable {
  let folder: URL
  let store: SQLiteNotificationStore
  let execution: CommandExecution

  init(_ limits: NotificationLimits = NotificationLimits(), folder: URL? = nil) throws {
    let folder = folder ?? Self.newFolder()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    self.folder = folder
    store = try SQLiteNotificationStore(databaseFile: Self.database(in: folder))
    execution = CommandExecution(limits: limits)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  static func newFolder() -> URL { FileManager.default.temporaryDirectory.appending(path: "ntf-\(UUID().uuidString)") }

  static func database(in folder: URL) -> String { folder.appending(path: "ntf-server.db").path }

  /// A copy of the files as a kill leaves them.
  func copyAsKilled() throws -> URL {
    let copy = Self.newFolder()
    try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
    for name in ["ntf-server.db", "ntf-server.db-wal"] {
      try? FileManager.default.copyItem(at: folder.appending(path: name), to: copy.appending(path: name))
    }
    return copy
  }

  @discardableResult
  func execute(
    _ command: NotificationCommand, _ entity: EntityID = .none, at now: Int64 = 1_000_000
  ) async throws -> CommandOutcome {
    let execution = execution
    return try await store.perform { (records) throws(NotificationStoreError) in
      var random = SystemRandom()
      return try execution.execute(command, entity: entity, at: now, records, random: &random)
    }
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any NotificationRecords) throws(NotificationStoreError) -> Value
  ) async throws -> Value { try await store.perform(body) }

  /// A token that was registered, and verified if it is active.
  func token(
    _ request: NewTokenRequest = TestRequests.newToken(), isActive: Bool = true, at now: Int64 = 1_000_000
  ) async throws -> StoredToken {
    guard case .idtkn(let id, _) = try await execute(.tnew(request), at: now).response else { throw Unexpected() }
    let stored = try #require(try await read { (records) throws(NotificationStoreError) in try records.token(id) })
    guard isActive else { return stored }
    #expect(try await execute(.tvfy(stored.record.code), id, at: now).response == .ok)
    return try #require(try await read { (records) throws(NotificationStoreError) in try records.token(id) })
  }

  /// A subscription of a token.
  @discardableResult
  func subscribe(_ token: StoredToken, _ queue: NotifierQueue) async throws -> EntityID {
    let request = NewSubscriptionRequest(token: token.record.id, queue: queue, notifierKey: TestRequests.notifierKey)
    guard case .idsub(let id) = try await execute(.snew(request)).response else { throw Unexpected() }
    return id
  }

  /// A notification of a queue at a time.
  @discardableResult
  func notify(_ queue: NotifierQueue, _ time: Int64 = 1_000_000) async throws -> StoredToken? {
    let message = TestRequests.message(queue, time)
    return try await read { (records) throws(NotificationStoreError) in
      try records.addNotification(message, keeping: PushText.entryLimit)
    }
  }

  func prepared(_ token: StoredToken, _ kinds: Set<PushKind> = [.verification, .messages]) async throws -> PreparedPush?
  {
    let number = token.number
    return try await read { (records) throws(NotificationStoreError) in
      try PreparedPush.prepare(number, kinds, in: records)
    }
  }

  @discardableResult
  func finish(_ push: PreparedPush, _ outcome: PushOutcome) async throws -> PushResult {
    try await read { (records) throws(NotificationStoreError) in try push.finish(outcome, in: records) }
  }

  func current(_ token: StoredToken) async throws -> StoredToken? {
    let number = token.number
    return try await read { (records) throws(NotificationStoreError) in try records.token(number) }
  }
}

struct Unexpected: Error {}

/// Parameters of commands.
enum TestRequests {
  static let notifierKey: AuthorizationPrivateKey = {
    var random = SystemRandom()
    return .ed25519(Ed25519.PrivateKey(using: &random))
  }()

  static func newToken(
    _ device: PushDevice = PushDevice(service: .apple, token: "0123456789abcdef")
  ) -> NewTokenRequest {
    var random = SystemRandom()
    return NewTokenRequest(
      device: device, verifyKey: .ed25519(Ed25519.PrivateKey(using: &random).publicKey),
      dhKey: X25519.PrivateKey(using: &random).publicKey)
  }

  static func queue(_ number: Int, relay: Int = 0) -> NotifierQueue {
    NotifierQueue(
      relay: SMPServerAddress(.domain("relay\(relay).example"), keyHash: [UInt8](repeating: 1, count: 32)),
      notifier: EntityID([UInt8(number & 255), UInt8(number >> 8)]))
  }

  static func message(_ queue: NotifierQueue, _ time: Int64) -> PushedMessage {
    var random = SystemRandom()
    guard let time = UTCTime(seconds: time) else { preconditionFailure("no time") }
    return PushedMessage(
      queue: queue, time: time,
      notification: NotificationMessage(nonce: BoxNonce(using: &random), box: random.bytes(144)))
  }
}
