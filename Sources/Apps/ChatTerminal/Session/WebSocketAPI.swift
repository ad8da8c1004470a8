import ChatAPI
import LocalWebSocket
import SimpleXChat
import SimplexJSON

/// The API for bots over WebSocket: `{"corrId":…,"cmd":…}` in, `{"corrId":…,"resp":…}` out, events as `{"resp":…}`.
///
/// Commands of one client are executed one after the other. Every client gets every event, and a response has its place
/// among them: after the events of everything that it knows of, before those of everything that follows. While there is
/// no client, or none that reads, events wait in the controller; a client that falls far behind others is disconnected.
public final class WebSocketAPI: Sendable {
  private let server: WebSocketServer
  private let output: Task<Void, Never>
  private let clients: WebSocketClients

  /// Listens on the loopback address.
  ///
  /// - Parameters:
  ///   - token: What clients must present; nil if nothing.
  ///   - admitsOwner: Whether programs of the user who runs this one need no token.
  ///   - idleTimeout: the seconds after which a client that neither reads nor answers pings is disconnected; 0 for
  ///     never, nil for the usual time (``LocalWebSocket/WebSocketServer/Configuration/idleTimeout``).
  public init(
    core: ChatController, port: Int, token: String? = nil, admitsOwner: Bool = false, idleTimeout: Int? = nil
  ) async throws(WebSocketError) {
    let clients = WebSocketClients()
    self.clients = clients
    var configuration = WebSocketServer.Configuration(port: port, token: token)
    configuration.admitsOwner = admitsOwner
    if let idleTimeout { configuration.idleTimeout = idleTimeout == 0 ? nil : .seconds(idleTimeout) }
    server = try await WebSocketServer.start(configuration) { connection in
      await Self.serve(connection, with: core, clients: clients)
    }
    output = Task {
      while let output = await core.eventQueue.nextOutput(), !Task.isCancelled {
        switch output {
        case .event(let event): await clients.send(event)
        // Bots use the profile of this device.
        case .remoteEvent: break
        case .response(let number, let result):
          await clients.answer(number) { OutputJSON(result, corrId: $0).jsonBytes() }
        }
      }
    }
  }

  /// The port that is listened on.
  public var port: Int { server.port }

  /// Closes all connections.
  public func close() async {
    output.cancel()
    await clients.end()
    await server.close()
  }

  /// Serves a client until it disconnects, or has fallen behind.
  private static func serve(_ connection: WebSocketConnection, with core: ChatController, clients: WebSocketClients)
    async
  {
    let (number, texts, dropped) = await clients.add(wantsUnread: connection.query["unread"] == "on")
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await connection.receive { text in
          let request: Request
          do throws(InvalidRequest) { request = try Request(text) } catch {
            return await clients.refuse(error.answer, for: number)
          }
          return await clients.request(of: number, corrId: request.corrId) { requestNumber in
            await core.post(.string(request.cmd), as: requestNumber)
          }
        }
      }
      group.addTask {
        for await text in texts {
          guard (try? await connection.send(text.bytes)) != nil else { return }
          await clients.sent(text, to: number)
        }
      }
      group.addTask {
        await clients.sendUnread(to: number, from: core)
        for await _ in dropped {}
      }
      await group.next()
      group.cancelAll()
      // A request that waits for its response ends with its client.
      await clients.remove(number)
    }
  }

  // MARK: Texts

  /// Why a text is not a request.
  private struct InvalidRequest: Error {
    /// What is wrong with it.
    let reason: String
    /// The id to answer with, where it could be read.
    var corrId: String?

    var answer: [UInt8] {
      let error = ChatError.error(errorType: .commandError(message: "invalid request: \(reason)"))
      return OutputJSON(refusal: error, corrId: corrId).jsonBytes()
    }
  }

  private struct Request {
    let corrId: String
    let cmd: String

    init(_ text: [UInt8]) throws(InvalidRequest) {
      guard let document = try? JSONDocument(parsing: text, limits: .caller) else {
        throw InvalidRequest(reason: "the text is not JSON")
      }
      guard var fields = try? document.root.fields() else { throw InvalidRequest(reason: "not a JSON object") }
      guard fields.has("corrId") else { throw InvalidRequest(reason: "corrId is missing") }
      do { corrId = try fields.get("corrId") } catch { throw InvalidRequest(reason: "corrId is not a string") }
      guard fields.has("cmd") else { throw InvalidRequest(reason: "cmd is missing", corrId: corrId) }
      do { cmd = try fields.get("cmd") } catch {
        throw InvalidRequest(reason: "cmd is not a string", corrId: corrId)
      }
    }
  }
}

extension WebSocketClients.Event {
  /// The text of the event.
  var bytes: [UInt8] { OutputJSON(self).jsonBytes() }
}
