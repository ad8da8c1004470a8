import ChatAPI
import LocalWebSocket
import SimpleXChat
import SimplexJSON

/// The API for bots over WebSocket: `{"corrId":…,"cmd":…}` in, `{"corrId":…,"resp":…}` out, events as `{"resp":…}`.
///
/// Commands of one client are carried out one after the other. Every client gets every event. While there is no client, or none
/// that reads, events wait in the controller; a client that falls far behind others is disconnected.
public final class WebSocketAPI: Sendable {
  private let server: WebSocketServer
  private let events: Task<Void, Never>
  private let clients: WebSocketClients

  /// Begins to listen on the loopback address.
  public init(core: ChatController, port: Int, token: String? = nil) async throws(WebSocketError) {
    let clients = WebSocketClients()
    self.clients = clients
    let configuration = WebSocketServer.Configuration(port: port, token: token)
    server = try await WebSocketServer.start(configuration) { connection in
      await Self.serve(connection, core, clients)
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

  /// Until the client goes, or has fallen behind.
  private static func serve(_ connection: WebSocketConnection, _ core: ChatController, _ clients: WebSocketClients)
    async
  {
    let (number, events, dropped) = await clients.add()
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await connection.receive { request in
          let answer = await Self.answer(request, core)
          return (try? await connection.send(answer)) != nil
        }
      }
      group.addTask {
        for await event in events {
          guard (try? await connection.send(event)) != nil else { return }
          await clients.sent(number)
        }
      }
      group.addTask { for await _ in dropped {} }
      await group.next()
      group.cancelAll()
    }
    await clients.remove(number)
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
