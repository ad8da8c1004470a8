import Foundation
import SimplexFFI
import SimplexJSON
import Testing

/// Calls a function of C on a thread of its own: it waits for what the threads of tasks do.
private func onThread<Value: Sendable>(_ call: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result(catching: call)) }
  }
}

private func openedFile(_ path: String) -> CInt { open(path, O_RDWR | O_CREAT, 0o600) }

/// A controller for databases that an earlier one of the same process has, and forgot to close.
@Suite struct HandOverTests {
  private let folder: TemporaryFolder
  private var prefix: String { folder.file("alice") }

  init() throws { folder = try TemporaryFolder() }

  private struct Controller: @unchecked Sendable {
    // A handle is a number, which C passes as a pointer.
    let pointer: UnsafeMutableRawPointer?

    func send(_ command: String) async throws -> JSONValue {
      try await onThread { try JSONValue(jsonText: try taken(chatSendCmd(pointer, command))) }
    }

    /// The name of the active user; nil where the command fails.
    func user() async throws -> String? {
      try await send("/u")["result"]?["user"]?["localDisplayName"]?.stringValue
    }

    func close() async throws -> String { try await onThread { try taken(chatCloseStore(pointer)) } }

    func reopen() async throws -> String { try await onThread { try taken(chatReopenStore(pointer)) } }

    func receive() async throws -> String { try await onThread { try taken(chatRecvMsgWait(pointer, 1_000)) } }
  }

  private func open(key: String = "") async throws -> (result: String?, controller: Controller) {
    let prefix = prefix
    return try await onThread {
      var pointer: UnsafeMutableRawPointer?
      let text = try taken(chatMigrateInitKey(prefix, key, 1, "yesUp", 0, &pointer))
      return (try JSONValue(jsonText: text)["type"]?.stringValue, Controller(pointer: pointer))
    }
  }

  private func opened(key: String = "") async throws -> Controller {
    let (result, controller) = try await open(key: key)
    try #require(result == "ok")
    return controller
  }

  /// The earlier one fails from then on, and does not touch the databases.
  private func expectHandedOver(_ earlier: Controller, to later: Controller) async throws {
    #expect(try await later.user() == "alice")
    for command in ["/u", "/_start", "/_stop", "/_app suspend 0", "/_app activate", "/create user bob"] {
      let answer = try await earlier.send(command)
      #expect(answer["error"] != nil && answer["result"] == nil, "\(command): \(answer.jsonText())")
    }
    #expect(try await earlier.close() != "")
    #expect(try await earlier.reopen() != "")
    #expect(try await earlier.receive() == "")
    #expect(try await later.send("/_start")["result"]?["type"]?.stringValue == "chatStarted")
    #expect(try await later.user() == "alice")
    #expect(try await later.close() == "")
  }

  @Test func oneThatWasNotStarted() async throws {
    let earlier = try await opened()
    _ = try await earlier.send("/create user alice")
    try await expectHandedOver(earlier, to: try await opened())
  }

  @Test func oneThatWasStopped() async throws {
    let earlier = try await opened()
    _ = try await earlier.send("/create user alice")
    _ = try await earlier.send("/_start")
    #expect(try await open().result == "errorSQL")
    #expect(try await earlier.user() == "alice")
    _ = try await earlier.send("/_stop")
    try await expectHandedOver(earlier, to: try await opened())
  }

  /// The screen of the database's passphrase: the chat is stopped, and the current passphrase is typed wrong.
  @Test func afterAWrongPassphrase() async throws {
    let earlier = try await opened(key: "secret")
    _ = try await earlier.send("/create user alice")
    _ = try await earlier.send("/_start")
    _ = try await earlier.send("/_stop")
    let answer = try await earlier.send(#"/_db encryption {"currentKey":"wrong","newKey":"other"}"#)
    #expect(answer["error"] != nil, "\(answer.jsonText())")
    try await expectHandedOver(earlier, to: try await opened(key: "secret"))
  }

  /// Whether its chat is started or not, databases are not handed over to who does not know the passphrase.
  @Test(arguments: [false, true]) func wrongPassphrases(isStarted: Bool) async throws {
    let earlier = try await opened(key: "secret")
    _ = try await earlier.send("/create user alice")
    if isStarted { _ = try await earlier.send("/_start") }
    for key in ["wrong", ""] {
      #expect(try await open(key: key).result == "errorNotADatabase")
      #expect(try await earlier.user() == "alice")
    }
    #expect(try await earlier.close() == "")
  }

  /// Three in a row, as of an app that opens again and again.
  @Test func severalOneAfterTheOther() async throws {
    var controllers = [try await opened()]
    _ = try await controllers[0].send("/create user alice")
    for _ in 0..<3 {
      controllers.append(try await opened())
      for earlier in controllers.dropLast() { #expect(try await earlier.user() == nil) }
      #expect(try await controllers[controllers.count - 1].user() == "alice")
    }
    #expect(try await controllers[controllers.count - 1].close() == "")
  }

  /// Each command is carried out completely, or not at all.
  @Test func commandsAtTheSameTime() async throws {
    let earlier = try await opened()
    _ = try await earlier.send("/create user alice")
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<4 {
        group.addTask {
          var stored = 0
          while try await earlier.send(#"/_create *1 json [{"msgContent":{"type":"text","text":"note"}}]"#)["result"]
            != nil
          {
            stored += 1
          }
          return stored
        }
      }
      let later = try await opened()
      let stored = try await group.reduce(0, +)
      let items = try await later.send("/_get chat *1 count=100000")["result"]?["chat"]?["chatItems"]?.arrayValue ?? []
      #expect(try await later.close() == "")
      return (stored, items.count)
    }
    #expect(counts.0 == counts.1)
  }

  /// Another process that is about to release the databases.
  @Test func anotherProcessIsWaitedFor() async throws {
    let descriptor = openedFile(prefix + ".lock")
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    // Nothing tells that the opening waits.
    let release = Task.detached {
      try? await Task.sleep(for: .milliseconds(100))
      flock(descriptor, LOCK_UN)
    }
    let controller = try await opened()
    await release.value
    #expect(try await controller.close() == "")
  }
}
