import AgentCore
import AgentProtocol
import ChatAPI
import Foundation
import SMPProtocol
import SimplexAgent
import SimplexTesting
import WireCodec

/// A peer with a real agent that says whatever it likes.
final class HostilePeer {
  private let agent: Agent
  private let user: UserID
  private var events: AgentEvents.AsyncIterator
  private(set) var connection: ConnectionID?

  init(in world: TestWorld, _ name: String = "mallory") async throws {
    agent = try await Agent.open(path: world.folder.appending(path: "\(name)_agent.db").path)
    let server = try ServerWithAuth<SMPScheme>.textCodec.decode(text: world.server)
    user = try await agent.createUser(servers: [AgentUserServer(server)])
    events = agent.events.makeAsyncIterator()
  }

  func close() async { await agent.close() }

  /// Joins an invitation, or asks at an address, with any information.
  /// - Parameter pq: whether the connection has post-quantum keys, which leave less room in messages.
  func join(_ link: String, info: [UInt8], pq: Bool = true) async throws {
    let request = try ConnectionRequest.textCodec.decode(text: link)
    connection = try await agent.join(user, request, info: info, options: ConnectionOptions(pq: pq)).connection
  }

  /// Waits until the other side has let this one connect.
  func connected() async throws {
    while let event = await events.next() {
      if case .connected = event.kind { return }
    }
    throw TestWorld.Unexpected(description: "not connected")
  }

  /// The link of a new connection, which messages go over from now on.
  func createLink() async throws -> String {
    let created = try await agent.createConnection(user, mode: .invitation)
    connection = created.connection
    return try ConnectionRequest.textCodec.text(created.link.full)
  }

  /// The link of an address, at which others ask.
  func createAddress() async throws -> String {
    try ConnectionRequest.textCodec.text(try await agent.createConnection(user, mode: .contact).link.full)
  }

  /// Accepts whoever asks at the address, with any information.
  func accept(info: String) async throws {
    while let event = await events.next() {
      guard case .request(let id, _, _, _) = event.kind else { continue }
      connection = try await agent.acceptContact(user, id, info: Array(info.utf8)).connection
      return
    }
    throw TestWorld.Unexpected(description: "nobody asked")
  }

  /// Lets whoever joins the link connect, with any information.
  func allow(info: String) async throws {
    while let event = await events.next() {
      guard case .confirmation(let id, _, _, _) = event.kind, let connection else { continue }
      return try await agent.allow(connection, id, info: Array(info.utf8))
    }
    throw TestWorld.Unexpected(description: "nobody joined")
  }

  /// Deletes the connection with its queue, without a word.
  func deleteConnection() async throws {
    guard let connection else { throw TestWorld.Unexpected(description: "not connected") }
    try await agent.delete([connection], waitForDelivery: false)
    while let event = await events.next() {
      if case .connectionsDeleted = event.kind { return }
    }
  }

  /// Sends any text over a connection of before.
  func send(_ text: String, over connection: ConnectionID?) async throws {
    guard let connection else { throw TestWorld.Unexpected(description: "not connected") }
    _ = try await agent.send(connection, body: Array(text.utf8))
  }

  /// Sends any bytes.
  func send(_ body: [UInt8]) async throws {
    guard let connection else { throw TestWorld.Unexpected(description: "not connected") }
    _ = try await agent.send(connection, body: body)
  }

  func send(_ text: String) async throws { try await send(Array(text.utf8)) }

  /// Sends a text, and returns its number.
  func sendNumbered(_ text: String) async throws -> AgentMessageID {
    guard let connection else { throw TestWorld.Unexpected(description: "not connected") }
    return try await agent.send(connection, body: Array(text.utf8)).id
  }

  /// The bodies of messages as text, up to one that contains `last`. All are acknowledged.
  func messages(through last: String) async throws -> [String] {
    var found: [String] = []
    while let event = await events.next() {
      guard case .message(let metadata, _, let body) = event.kind else { continue }
      if let connection = event.connection { try await agent.ack(connection, metadata.id) }
      found.append(String(decoding: body, as: UTF8.self))
      if found.last?.contains(last) == true { return found }
    }
    throw TestWorld.Unexpected(description: "no \(last)")
  }

  /// The messages that a receipt came for, up to that of `last`. All that comes meanwhile is acknowledged.
  func receipts(through last: AgentMessageID) async throws -> [AgentMessageID] {
    var found: [AgentMessageID] = []
    while let event = await events.next() {
      switch event.kind {
      case .message(let metadata, _, _):
        if let connection = event.connection { try await agent.ack(connection, metadata.id) }
      case .received(let metadata, let receipts):
        if let connection = event.connection { try await agent.ack(connection, metadata.id) }
        found += receipts.map(\.message.id)
        if found.contains(last) { return found }
      default: break
      }
    }
    throw TestWorld.Unexpected(description: "no receipt for \(last)")
  }

  /// A message as it should be.
  static func message(_ text: String, id: UInt64) -> String {
    let name = Data("message\(id)____".utf8.prefix(12)).base64EncodedString()
    return
      #"{"v":"1-16","msgId":"\#(name)","event":"x.msg.new","params":{"content":{"type":"text","text":"\#(text)"}}}"#
  }

  static func info(_ name: String) -> [UInt8] {
    let name = String(decoding: (try? JSONEncoder().encode(name)) ?? Data(), as: UTF8.self)
    return Array(#"{"v":"1-16","event":"x.info","params":{"profile":{"displayName":\#(name),"fullName":""}}}"#.utf8)
  }
}
