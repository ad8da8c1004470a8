import AgentCore
import AgentProtocol
import ChatAPI
import ChatProtocol
import DoubleRatchet
import Foundation
import SMPProtocol
import SimplexAgent
import SimplexCrypto
import Synchronization
import WireCodec

/// A peer with a real agent, whose messages follow no rules of the chat.
final class HostileContact {
  /// The number of connections of ``HostileAction/relay``.
  static let connections = 80

  private let agent: Agent
  private let user: UserID
  private var events: AgentEvents.AsyncIterator
  private var connection: ConnectionID?

  init(in folder: String, relay: String) async throws {
    agent = try await Agent.open(path: folder + "/hostile.db")
    let address = try SMPServerAddress.textCodec.decode(text: relay)
    user = try await agent.createUser(servers: [AgentUserServer(ServerWithAuth(server: address, basicAuth: nil))])
    events = agent.events.makeAsyncIterator()
  }

  /// Asks at an address, and waits until it is connected.
  func connect(to link: String, name: String) async throws {
    let request = try ConnectionRequest.textCodec.decode(text: link)
    let profile = Profile(displayName: name, fullName: "")
    let info = ChatMessage(event: .contact(ContactRequestInfo(profile: profile))).jsonBytes()
    connection = try await agent.join(user, request, info: info).connection
    while true {
      switch try await next() {
      case .confirmation(let id, _, _, _):
        guard let connection else { continue }
        try await agent.allow(connection, id, info: ChatMessage(event: .info(profile)).jsonBytes())
      case .connected: return
      default: continue
      }
    }
  }

  /// Does it until the process ends; `done` is called after each message that was sent.
  func run(_ action: HostileAction, done: () -> Void) async throws {
    switch action {
    case .reactions: try await flood({ _ in HostileBody.reactions() }, done)
    case .files: try await flood({ _ in HostileBody.files() }, done)
    case .profiles: try await flood(HostileBody.profiles, done)
    case .keys: try await skipKeys(done)
    case .relay: break
    }
  }

  /// Sends messages, some of which are always on their way to the relay.
  private func flood(_ body: (Int) -> String, _ done: () -> Void) async throws {
    var (count, inFlight) = (0, 0)
    while true {
      while inFlight < 16 {
        try await send(body(count))
        count += 1
        inFlight += 1
      }
      guard case .sent = try await next() else { continue }
      inFlight -= 1
      done()
    }
  }

  /// Sends texts and waits for their receipts; before each, the ratchet takes as many steps as the peer allows.
  ///
  /// With the receipt of a message nothing is on its way to this agent, so nobody else changes its ratchet.
  private func skipKeys(_ done: () -> Void) async throws {
    for number in 0... {
      guard let row = try await agent.rows(of: "SELECT hex(state) FROM ratchets").first else {
        throw BenchError.unexpected
      }
      _ = try await agent.rows(of: "UPDATE ratchets SET state = x'\(try Self.skippingKeys(row))'")
      try await send(HostileBody.text("message \(number)"))
      while true { if case .received = try await next() { break } }
      done()
    }
  }

  /// The state of a ratchet after the messages that were not sent; both in hexadecimal digits.
  private static func skippingKeys(_ state: String) throws -> String {
    let digits = state.compactMap(\.hexDigitValue)
    let bytes = stride(from: 1, to: digits.count, by: 2).map { UInt8(digits[$0 - 1] << 4 | digits[$0]) }
    var ratchet = try Ratchet(decoding: bytes.span.bytes)
    for _ in 1..<Ratchet.maximumSkipped { _ = try ratchet.makeSealer() }
    let skipped = try ratchet.encoded()
    return [UInt8](copying: skipped.bytes).map { String(format: "%02x", $0) }.joined()
  }

  private func send(_ text: String) async throws {
    guard let connection else { throw BenchError.unexpected }
    let body = try MessageBody.prepared(Array(text.utf8), isPostQuantum: true, version: ChatVersion.current)
    _ = try await agent.send(connection, body: body)
  }

  /// The next event; messages are acknowledged.
  private func next() async throws -> AgentEvent.Kind {
    guard let event = await events.next() else { throw BenchError.unexpected }
    if let id = event.id { try await agent.confirmEvents(through: id) }
    switch event.kind {
    case .message(let metadata, _, _), .received(let metadata, _):
      if let connection = event.connection { try await agent.ack(connection, metadata.id) }
    case .messageFailed(_, let error), .messagesFailed(_, let error), .failed(let error): throw error
    default: break
    }
    return event.kind
  }
}

/// The messages of hostile contacts.
private enum HostileBody {
  /// As many elements as are read of a batch, with the identifiers of messages that do not exist.
  static func reactions() -> String {
    batch(255) { _ in
      #"{"v":"1-16","event":"x.msg.react","params":{"msgId":"\#(id())","reaction":{"type":"emoji","emoji":"👍"},"#
        + #""add":true}}"#
    }
  }

  /// As many voice messages as are read of a batch, with files that are received without being asked for.
  static func files() -> String {
    batch(255) { _ in
      #"{"v":"1-16","msgId":"\#(id())","event":"x.msg.new","params":{"content":{"type":"voice","text":"","#
        + #""duration":1},"file":{"fileName":"voice.m4a","fileSize":1000,"fileInline":"sent"}}}"#
    }
  }

  /// Profiles with pictures, as many as a message may have when it is decompressed.
  static func profiles(number: Int) -> String {
    batch(50) { index in
      let picture = String(repeating: "A", count: 1_000) + "\(number * 50 + index)"
      return #"{"v":"1-16","event":"x.info","params":{"profile":{"displayName":"mallory","fullName":"","#
        + #""image":"data:image/jpg;base64,\#(picture)"}}}"#
    }
  }

  static func text(_ text: String) -> String {
    #"{"v":"1-16","msgId":"\#(id())","event":"x.msg.new","params":{"content":{"type":"text","text":"\#(text)"}}}"#
  }

  private static func batch(_ count: Int, _ element: (Int) -> String) -> String {
    "[\((0..<count).map(element).joined(separator: ","))]"
  }

  private static func id() -> String {
    var random = SystemRandom()
    return Base64URL.string(random.bytes(12))
  }
}

/// The process of a hostile contact: it is ready when it is connected, goes on until its input is closed, and then
/// prints the number of messages that it has sent.
@Sendable func serveHostileContact() async throws {
  let arguments = CommandLine.arguments
  guard arguments.count == 7, let action = HostileAction(rawValue: arguments[3]) else { throw BenchError.noServer }
  let contact = try await HostileContact(in: arguments[6], relay: arguments[5])
  for number in 0..<(action == .relay ? HostileContact.connections : 1) {
    try await contact.connect(to: arguments[4], name: number == 0 ? "mallory" : "mallory\(number)")
  }
  ServerProcess.announce("ready")
  let count = SentCount()
  Task.detached {
    do {
      try await contact.run(action) { count.value.add(1, ordering: .relaxed) }
    } catch {
      FileHandle.standardError.write(Data("The hostile contact ended: \(error)\n".utf8))
    }
  }
  await ServerProcess.waitForParent()
  ServerProcess.announce("\(count.value.load(ordering: .relaxed))")
}

/// The number of messages that were sent.
private final class SentCount: Sendable {
  let value = Atomic<Int>(0)
}
