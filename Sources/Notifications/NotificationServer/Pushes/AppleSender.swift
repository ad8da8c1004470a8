import HTTP2Transport
import NotificationProtocol
import NotificationServerCore
import SimplexCrypto
import SimplexJSON
import SimplexTransport

/// Sends pushes to Apple's service over HTTP/2. Source: Apple, "Sending notification requests to APNs".
public final class AppleSender: PushSender {
  /// The service, and how it is used.
  public struct Configuration: Sendable {
    /// The host name.
    public let host: String
    /// The port.
    public let port: Int
    /// The identifier of the app.
    public let topic: String
    /// The authorities that the host's certificate is verified with.
    public var trust = TLSClientConfiguration.WebTrust.system
    /// The number of connections.
    public var connections = 2
    /// The deadline for the answer to a push.
    public var answerTimeout = Duration.seconds(30)
    /// The size of the text in boxes, in bytes.
    public var paddedSize = ApplePushBody.paddedSize

    /// The app's service at a host.
    public init(host: String, port: Int = 443, topic: String) {
      self.host = host
      self.port = port
      self.topic = topic
    }
  }

  private let configuration: Configuration
  private let token: ProviderToken
  private let connections: AppleConnections

  /// - Throws: where the authorities cannot be read.
  public init(_ configuration: Configuration, token: ProviderToken) throws(TransportError) {
    self.configuration = configuration
    self.token = token
    connections = try AppleConnections(configuration)
  }

  /// Sends a push. Where the connection ends before the answer, the push is sent once more over another one; where the
  /// authorization has expired, once more with a new one.
  public func send(_ push: OutgoingPush) async -> PushOutcome {
    var random = SystemRandom()
    guard
      let body = ApplePushBody(
        push.content, key: push.key, nonce: BoxNonce(using: &random), paddedSize: configuration.paddedSize)
    else { return .refused("its entries do not fit") }
    guard push.device.hasHexadecimalToken else { return .invalidToken(.bad, since: nil) }
    var isRepeated = false
    var isRenewed = false
    while true {
      let authorization = token.current
      do {
        let answer = try await request(body, push.device, authorization: authorization)
        if let outcome = PushOutcome(
          appleStatus: answer.status, reason: answer.details?.reason, timestamp: answer.details?.timestamp)
        {
          return outcome
        }
        guard !isRenewed, token.expired(authorization) else {
          return .serviceUnavailable("403 ExpiredProviderToken; is the clock of this machine right?")
        }
        isRenewed = true
      } catch {
        guard !isRepeated, Self.isOver(error) else { return .serviceUnavailable("\(error)") }
        isRepeated = true
      }
    }
  }

  /// Closes the connections; pushes in flight fail.
  public func close() async { await connections.close() }

  /// Whether the service did not handle a push because it ends the connection.
  private static func isOver(_ error: any Error) -> Bool {
    switch error {
    case HTTP2Error.connection(.closed), HTTP2Error.reset(code: refusedStream): true
    default: false
    }
  }

  /// The code of RFC 9113 for requests that were not handled.
  private static let refusedStream = 7

  private struct Answer {
    var status: Int
    var details: AppleError?
  }

  private func request(
    _ body: ApplePushBody, _ device: PushDevice, authorization: String
  ) async throws -> Answer {
    let connection = try await connections.next()
    do {
      return try await request(body, device, authorization: authorization, over: connection)
    } catch {
      // Requests after a GOAWAY fail, those before it are answered: others take another connection.
      if Self.isOver(error) { await connections.forget(connection) }
      throw error
    }
  }

  private func request(
    _ body: ApplePushBody, _ device: PushDevice, authorization: String, over connection: HTTP2Connection
  ) async throws -> Answer {
    let stream = try await connection.request(
      method: "POST", path: "/3/device/\(device.token)", fields: fields(body, authorization))
    defer { stream.reset() }
    stream.setDeadline(configuration.answerTimeout)
    do { try await stream.send(body.json, isLast: true) } catch HTTP2Error.answered {}
    let head = try await stream.head()
    var answer = Answer(status: head.status)
    // What follows a success does not matter.
    guard head.status != 200 else { return answer }
    let text = try await Self.body(of: stream)
    answer.details = try? AppleError(jsonBytes: text)
    return answer
  }

  private func fields(_ body: ApplePushBody, _ authorization: String) -> [HTTP2Head.Field] {
    var fields = [
      HTTP2Head.Field(name: "authorization", value: "bearer \(authorization)"),
      HTTP2Head.Field(name: "apns-topic", value: configuration.topic),
      HTTP2Head.Field(name: "apns-push-type", value: body.isAlert ? "alert" : "background"),
    ]
    if !body.isAlert { fields.append(HTTP2Head.Field(name: "apns-priority", value: "5")) }
    return fields
  }

  /// The longest body of an answer that is read, in bytes.
  private static let answerLimit = 4096

  private static func body(of stream: HTTP2Stream) async throws -> [UInt8] {
    var body: [UInt8] = []
    while let part = try await stream.read() {
      body += part
      if body.count > answerLimit { throw HTTP2Error.protocolViolation("an answer of more than 4,096 bytes") }
    }
    return body
  }
}

/// The body of an answer that is no success.
private struct AppleError: JSONDecodable {
  let reason: String?
  /// When the token became invalid, in milliseconds since 1970.
  let timestamp: Int64?

  init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    reason = try fields.get("reason")
    timestamp = try fields.get("timestamp")
  }
}

/// The connections to a service, used in turn.
private actor AppleConnections {
  private let configuration: AppleSender.Configuration
  private let client: HTTP2Client
  private var open: [HTTP2Connection?]
  private var connecting: [Task<Result<HTTP2Connection, TransportError>, Never>?]
  private var turn = 0
  private var isClosed = false

  init(_ configuration: AppleSender.Configuration) throws(TransportError) {
    self.configuration = configuration
    var tls = TLSClientConfiguration(applicationProtocols: ["h2"])
    tls.webTrust = configuration.trust
    client = try HTTP2Client(tls)
    let count = max(1, configuration.connections)
    open = Array(repeating: nil, count: count)
    connecting = Array(repeating: nil, count: count)
  }

  /// An open connection, which is established where there is none. Concurrent callers wait for the same attempt.
  func next() async throws(TransportError) -> HTTP2Connection {
    guard !isClosed else { throw .closed }
    turn = (turn + 1) % open.count
    let place = turn
    if let connection = open[place], connection.isOpen { return connection }
    let attempt: Task<Result<HTTP2Connection, TransportError>, Never>
    if let known = connecting[place] {
      attempt = known
    } else {
      let (client, configuration) = (client, configuration)
      attempt = Task {
        var options = TransportClient.Options()
        options.sendsServerName = true
        do throws(TransportError) {
          return .success(
            try await client.connect(
              host: configuration.host, port: configuration.port, policy: .web(host: configuration.host),
              options: options))
        } catch {
          return .failure(error)
        }
      }
      connecting[place] = attempt
    }
    let result = await attempt.value
    connecting[place] = nil
    let connection = try result.get()
    if isClosed {
      connection.close()
      throw .closed
    }
    open[place] = connection
    return connection
  }

  /// Uses a connection no more; it is closed when its last request is answered.
  func forget(_ connection: HTTP2Connection) {
    for place in open.indices where open[place] === connection { open[place] = nil }
  }

  func close() {
    isClosed = true
    for connection in open { connection?.close() }
    open = open.map { _ in nil }
  }
}
