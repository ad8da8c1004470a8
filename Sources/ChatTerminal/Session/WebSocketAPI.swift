import ChatAPI
import LocalWebSocket
import SimpleXChat
import SimplexJSON

/// The API for bots over WebSocket: `{"corrId":…,"cmd":…}` in, `{"corrId":…,"resp":…}` out, events as `{"resp":…}`.
///
/// Commands of one client are carried out one after the other. Every client gets every event; while there is no client, events
/// wait in the controller.
public final class WebSocketAPI: Sendable {
  private let server: WebSocketServer
  private let events: Task<Void, Never>
  private let clients: Clients

  /// Begins to listen on the loopback address.
  public init(core: ChatController, port: Int, token: String? = nil) async throws(WebSocketError) {
    let clients = Clients()
    self.clients = clients
    let configuration = WebSocketServer.Configuration(port: port, token: token)
    server = try await WebSocketServer.start(configuration) { connection in
      let number = await clients.add(connection)
      await connection.receive { request in
        let answer = await Self.answer(request, core)
        return (try? await connection.send(answer)) != nil
      }
      await clients.remove(number)
    }
    events = Task {
      for await event in core.events { await clients.send(Self.encode(event)) }
    }
  }

  /// The port that is listened on.
  public var port: Int { server.port }

  /// Closes all connections.
  public func close() async {
    events.cancel()
    await clients.end()
    await server.close()
  }

  // MARK: Texts

  private static func answer(_ text: String, _ core: ChatController) async -> [UInt8] {
    guard let request = try? Request(jsonText: text) else {
      let error = ChatError.error(errorType: .commandError(message: "invalid request"))
      return Answer(corrId: nil, body: .failed("chatCmdError", error)).jsonBytes()
    }
    switch await core.sendText(request.cmd) {
    case .result(let response): return Answer(corrId: request.corrId, body: .value(response)).jsonBytes()
    case .error(let error):
      return Answer(corrId: request.corrId, body: .failed("chatCmdError", error)).jsonBytes()
    case .invalid(let type, _):
      return Answer(corrId: request.corrId, body: .failed("chatCmdError", .unexpectedResult(type: type))).jsonBytes()
    }
  }

  private static func encode(_ event: APIResult<ChatEvent>) -> [UInt8] {
    switch event {
    case .result(let event): Answer(corrId: nil, body: .value(event)).jsonBytes()
    case .error(let error): Answer(corrId: nil, body: .failed("chatError", error)).jsonBytes()
    case .invalid(let type, _):
      Answer(corrId: nil, body: .failed("chatError", .unexpectedResult(type: type))).jsonBytes()
    }
  }

  private struct Request: JSONDecodable {
    let corrId: String
    let cmd: String

    init(json: JSONNode) throws(JSONError) {
      var fields = try json.fields()
      corrId = try fields.get("corrId")
      cmd = try fields.get("cmd")
    }
  }

  private struct Answer: JSONEncodable {
    enum Body {
      case value(any JSONEncodable)
      case failed(StaticString, ChatError)
    }

    let corrId: String?
    let body: Body

    func encode(to json: inout JSONWriter) {
      json.beginObject()
      json.field("corrId", corrId)
      json.key("resp")
      switch body {
      case .value(let value): value.encode(to: &json)
      case .failed(let tag, let error): json.sum(tag, "chatError", error)
      }
      json.endObject()
    }
  }
}

/// The connected clients.
private actor Clients {
  private var connections: [Int: WebSocketConnection] = [:]
  private var last = 0
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var hasEnded = false

  func add(_ connection: WebSocketConnection) -> Int {
    last += 1
    connections[last] = connection
    wake()
    return last
  }

  func end() {
    hasEnded = true
    wake()
  }

  private func wake() {
    for waiter in waiting { waiter.resume() }
    waiting = []
  }

  func remove(_ number: Int) { connections[number] = nil }

  /// Sends to all clients, once there is one.
  func send(_ text: [UInt8]) async {
    while connections.isEmpty && !hasEnded {
      await withCheckedContinuation { waiting.append($0) }
    }
    for (number, connection) in connections {
      do { try await connection.send(text) } catch { connections[number] = nil }
    }
  }
}
