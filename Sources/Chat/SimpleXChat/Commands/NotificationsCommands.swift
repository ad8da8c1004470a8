import AgentCore
import ChatAPI
import FoundationTypes
import NotificationProtocol
import SMPProtocol
import SimplexAgent
import SimplexCrypto
import WireCodec

// Push notifications: the token of this device, and the messages behind pushes. The token is that of all users.

extension ChatController {
  func performNotifications(_ command: ChatCommand) async throws(ChatError) -> ChatResponse? {
    switch command {
    case .apiGetNtfToken:
      _ = try currentUser()
      let token = try await withAgent { (agent) throws(AgentError) in try await agent.notificationToken() }
      return .response2(
        .ntfToken(
          token: DeviceToken(token.device), status: NtfTknStatus(token.status), ntfMode: NotificationsMode(token.mode),
          ntfServer: token.server.description))
    case .apiRegisterToken(let token, let mode):
      _ = try runningUser()
      let device = try PushDevice(token)
      guard let mode = NotificationMode(mode) else { throw .command("the mode is off: delete the token instead") }
      return try await tokenStatus { (agent) throws(AgentError) in
        try await agent.registerNotificationToken(device, mode: mode)
      }
    case .apiVerifyToken(let token, let nonce, let code):
      _ = try runningUser()
      let device = try PushDevice(token)
      let (nonce, code) = (try Self.nonce(nonce), try Self.bytes(code))
      _ = try await withAgent { (agent) throws(AgentError) in
        try await agent.verifyNotificationToken(device, nonce: nonce, code: code)
      }
      return .done()
    case .apiCheckToken(let token):
      _ = try runningUser()
      let device = try PushDevice(token)
      return try await tokenStatus { (agent) throws(AgentError) in try await agent.checkNotificationToken(device) }
    case .apiDeleteToken(let token):
      _ = try runningUser()
      let device = try PushDevice(token)
      try await withAgent { (agent) throws(AgentError) in try await agent.deleteNotificationToken(device) }
      return .done()
    case .apiGetNtfConns(let nonce, let info):
      _ = try runningUser()
      return try await notifiedConnections(nonce: try Self.nonce(nonce), info: try Self.bytes(info))
    case .apiGetConnNtfMessages(let requests):
      _ = try runningUser()
      return try await fetchMessages(requests)
    default: return nil
    }
  }

  private func tokenStatus(
    _ body: (Agent) async throws(AgentError) -> TokenStatus
  ) async throws(ChatError) -> ChatResponse {
    .response2(.ntfTokenStatus(status: NtfTknStatus(try await withAgent(body))))
  }

  /// The connections that a push is about. Those that belong to nothing any more are left out.
  private func notifiedConnections(nonce: BoxNonce, info: [UInt8]) async throws(ChatError) -> ChatResponse {
    let found = try await withAgent { (agent) throws(AgentError) in
      try await agent.notifiedConnections(nonce: nonce, message: info)
    }
    let connections = try store.read { transaction in
      try found.compactMap { found -> NtfConn? in
        let id = found.connection.text
        guard let user = try transaction.user(ofConnection: id),
          let entity = try? transaction.connectionEntity(agentConnId: id, of: user)
        else { return nil }
        return NtfConn(
          user: user, agentConnId: id, agentDbQueueId: found.queue, connEntity: entity,
          expectedMsg_: found.message.map { NtfMsgInfo($0) })
      }
    }
    return .response2(.ntfConns(ntfConns: connections))
  }

  /// Fetches a message for each request, one after the other.
  private func fetchMessages(_ requests: [ConnMsgReq]) async throws(ChatError) -> ChatResponse {
    var answers: [RcvNtfMsgInfo] = []
    for request in requests {
      do throws(ChatError) {
        let request = NotifiedMessageRequest(
          connection: try ConnectionID(agentText: request.msgConnId), queue: request.msgDbQueueId,
          time: Int64(request.msgTs.timeIntervalSince1970.rounded(.down)))
        let message = try await withAgent { (agent) throws(AgentError) in try await agent.fetchMessage(request) }
        answers.append(.info(ntfMsgInfo: message.map { NtfMsgInfo($0) }))
      } catch {
        guard case .errorAgent(let problem, _, _) = error else { throw error }
        answers.append(.error(ntfMsgError: problem))
      }
    }
    return .response2(.connNtfMessages(receivedMsgs: answers))
  }

  private static func nonce(_ text: String) throws(ChatError) -> BoxNonce {
    let bytes = try bytes(text)
    do { return try BoxNonce(bytes.span.bytes) } catch { throw .command("invalid nonce") }
  }

  private static func bytes(_ text: String) throws(ChatError) -> [UInt8] {
    guard let bytes = Base64URL.decode(text) else { throw .command("not base64url: \(text.prefix(100))") }
    return bytes
  }
}

extension Turn {
  /// Reports that a message that a push announced was handled and acknowledged.
  func reportHandled(_ message: MessageID, at time: Int64?, of connection: ConnectionID) throws {
    guard let context = try contextIfPresent(connection) else { return }
    emit(
      .ntfMessage(
        user: context.user, connEntity: context.entity,
        ntfMessage: NtfMsgAckInfo(
          msgId: Base64URL.string(message.bytes), msgTs_: time.map { Date(timeIntervalSince1970: Double($0)) })))
  }
}

// MARK: Values of the API

extension PushDevice {
  fileprivate init(_ token: DeviceToken) throws(ChatError) {
    let device = PushDevice(service: PushService(token.pushProvider), token: token.token.lowercased())
    guard device.token.utf8.count <= Self.longestToken, (try? PushDevice.textCodec.text(device)) != nil else {
      throw .command("invalid device token")
    }
    self = device
  }

  /// The longest token of a device in bytes; those of Apple have 64.
  private static let longestToken = 200
}

extension PushService {
  fileprivate init(_ provider: PushProvider) {
    self =
      switch provider {
      case .apns_dev: .appleDevelopment
      case .apns_prod: .apple
      case .apns_test: .appleTest
      case .apns_null: .null
      }
  }
}

extension DeviceToken {
  fileprivate init(_ device: PushDevice) {
    let provider: PushProvider =
      switch device.service {
      case .appleDevelopment: .apns_dev
      case .apple: .apns_prod
      case .appleTest: .apns_test
      case .null: .apns_null
      }
    self.init(pushProvider: provider, token: device.token)
  }
}

extension NtfTknStatus {
  fileprivate init(_ status: TokenStatus) {
    self =
      switch status {
      case .new: .new
      case .registered: .registered
      case .invalid(nil): .invalid
      case .invalid(.bad): .invalidBad
      case .invalid(.topic): .invalidTopic
      case .invalid(.expired): .invalidExpired
      case .invalid(.unregistered): .invalidUnregistered
      case .confirmed: .confirmed
      case .active: .active
      case .expired: .expired
      }
  }
}

extension NotificationsMode {
  fileprivate init(_ mode: NotificationMode) { self = mode == .instant ? .instant : .periodic }
}

extension NotificationMode {
  fileprivate init?(_ mode: NotificationsMode) {
    switch mode {
    case .off: return nil
    case .periodic: self = .periodic
    case .instant: self = .instant
    }
  }
}

extension NtfMsgInfo {
  fileprivate init(_ message: NotifiedMessage) {
    self.init(
      msgId: Base64URL.string(message.id.bytes), msgTs: Date(timeIntervalSince1970: Double(message.time)))
  }
}
