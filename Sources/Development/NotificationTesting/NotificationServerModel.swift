import AgentCore
import NotificationProtocol
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import WireCodec

/// A notification server without network and relays: it does at once what it is asked, as far as clients can tell, and
/// keeps pushes instead of sending them.
public final class NotificationServerModel {
  /// A registered device.
  public struct Token {
    /// The device.
    public var device: PushDevice
    /// Whether it is verified.
    public var status = TokenStatus.registered
    /// The interval of periodic pushes in minutes.
    public var interval: UInt16 = 0
    fileprivate var key: AuthorizationKey
    fileprivate var clientKey: X25519.PublicKey
    fileprivate var ownKey: X25519.PrivateKey
    fileprivate var boxKey: BoxKey
    fileprivate var code: RegistrationCode
  }

  /// The subscription of a queue.
  public struct Subscription {
    /// The token it was made with.
    public var token: EntityID
    /// The queue.
    public var request: NewSubscriptionRequest
    /// What SCHK tells.
    public var status = NotifierStatus.new
  }

  /// What a device got: a box with a code, or with entries.
  public struct Push: Sendable {
    /// The device.
    public var device: PushDevice
    /// The nonce of the box.
    public var nonce: BoxNonce
    /// The box of a code.
    public var verification: [UInt8]?
    /// The box of entries.
    public var message: [UInt8]?
  }

  /// Its address.
  public let server: NotificationServer
  /// The devices.
  public private(set) var tokens: [EntityID: Token] = [:]
  /// The subscriptions.
  public private(set) var subscriptions: [EntityID: Subscription] = [:]
  /// What devices got, in order.
  public private(set) var pushes: [Push] = []
  /// Errors that are given instead of doing what is asked, for commands of a keyword.
  public var failures: [String: [SMPClientError]] = [:]
  /// Whether nothing answers.
  public var isAway = false
  /// The entries of the messages so far.
  private var entries: [PushedMessage] = []
  private var random = InsecureSeededRandom(seed: 99)

  /// A server with this address.
  public init(_ server: NotificationServer) { self.server = server }

  /// A server at a host.
  public convenience init(_ host: String) {
    let hash = Base64URL.string([UInt8](repeating: 7, count: 32))
    guard let server = try? NotificationServer.textCodec.decode(text: "ntf://\(hash)@\(host)") else {
      fatalError("bad host \(host)")
    }
    self.init(server)
  }

  // MARK: Commands

  /// Carries out a command whose key is known.
  public func perform(_ request: NotificationRequest) -> Result<NotificationResponse, SMPClientError> {
    perform(request.command, entity: request.entity) { $0 == request.key?.publicKey }
  }

  /// Carries out a command.
  /// - Parameter isAuthorized: whether a key authorized it.
  public func perform(
    _ command: NotificationCommand, entity: EntityID, isAuthorized: (AuthorizationKey) -> Bool
  ) -> Result<NotificationResponse, SMPClientError> {
    let keyword = command.form.keyword
    if isAway { return .failure(.timeout) }
    if var planned = failures[keyword], !planned.isEmpty {
      let error = planned.removeFirst()
      failures[keyword] = planned
      // A timeout comes after the server did what it was asked.
      if error == .timeout { _ = execute(command, about: entity, isAuthorized: isAuthorized) }
      return .failure(error)
    }
    switch execute(command, about: entity, isAuthorized: isAuthorized) {
    case .err(let error): return .failure(.relay(error))
    case let response: return .success(response)
    }
  }

  private func execute(
    _ command: NotificationCommand, about entity: EntityID, isAuthorized: (AuthorizationKey) -> Bool
  ) -> NotificationResponse {
    switch command {
    case .tnew(let new): return isAuthorized(new.verifyKey) ? register(new) : .err(.AUTH)
    case .snew(let new):
      guard let token = tokens[new.token], isAuthorized(token.key), token.status.allowsSubscriptions else {
        return .err(.AUTH)
      }
      return subscribe(new)
    case .schk, .sdel:
      guard let subscription = subscriptions[entity], let token = tokens[subscription.token], isAuthorized(token.key)
      else { return .err(.AUTH) }
      if case .schk = command { return .sub(subscription.status) }
      subscriptions[entity] = nil
      return .ok
    case .ping: return .pong
    default:
      guard let token = tokens[entity], isAuthorized(token.key) else { return .err(.AUTH) }
      return perform(command, on: entity, token)
    }
  }

  private func perform(_ command: NotificationCommand, on id: EntityID, _ token: Token) -> NotificationResponse {
    switch command {
    case .tvfy(let code):
      guard code == token.code, token.status.allowsVerification else { return .err(.AUTH) }
      for (other, known) in tokens where other != id && known.device == token.device { forget(other) }
      tokens[id]?.status = .active
      return .ok
    case .tchk: return .tkn(token.status)
    case .trpl(let device):
      tokens[id]?.device = device
      tokens[id]?.status = .registered
      tokens[id]?.code = RegistrationCode(random.bytes(RegistrationCode.size))
      pushCode(of: id)
      return .ok
    case .tdel:
      forget(id)
      return .ok
    case .tcrn(let interval):
      tokens[id]?.interval = interval
      return .ok
    default: return .err(.INTERNAL)
    }
  }

  private func register(_ new: NewTokenRequest) -> NotificationResponse {
    if let (id, known) = tokens.first(where: { $0.value.device == new.device && $0.value.key == new.verifyKey }) {
      guard known.clientKey == new.dhKey else { return .err(.AUTH) }
      if !known.status.allowsVerification { tokens[id]?.status = .registered }
      pushCode(of: id)
      return .idtkn(id, dhKey: known.ownKey.publicKey)
    }
    let own = X25519.PrivateKey(using: &random)
    guard let boxKey = try? own.boxKey(with: new.dhKey) else { return .err(.CRYPTO) }
    let id = EntityID(using: &random)
    tokens[id] = Token(
      device: new.device, key: new.verifyKey, clientKey: new.dhKey, ownKey: own, boxKey: boxKey,
      code: RegistrationCode(random.bytes(RegistrationCode.size)))
    pushCode(of: id)
    return .idtkn(id, dhKey: own.publicKey)
  }

  private func subscribe(_ new: NewSubscriptionRequest) -> NotificationResponse {
    if let (id, known) = subscriptions.first(where: { $0.value.request.queue == new.queue }) {
      return known.token == new.token && known.request == new ? .idsub(id) : .err(.AUTH)
    }
    let id = EntityID(using: &random)
    subscriptions[id] = Subscription(token: new.token, request: new)
    return .idsub(id)
  }

  // MARK: Pushes

  private func pushCode(of id: EntityID) {
    guard let token = tokens[id] else { return }
    let nonce = BoxNonce(using: &random)
    guard
      let box = try? PushBox.seal(
        token.code.bytes, key: token.boxKey, nonce: nonce, paddedTo: PushBox.referencePaddedSize)
    else { return }
    pushes.append(Push(device: token.device, nonce: nonce, verification: box))
  }

  /// Handles that a relay told about a message: the push repeats up to five others.
  /// - Parameter now: the time in milliseconds.
  public func notified(_ queue: NotifierQueue, _ message: NotificationMessage, at now: Int64) {
    guard !isAway, let subscription = subscriptions.values.first(where: { $0.request.queue == queue }),
      let token = tokens[subscription.token], token.status == .active, let time = UTCTime(seconds: now / 1_000)
    else { return }
    entries.removeAll { $0.queue == queue }
    entries = entries.suffix(5) + [PushedMessage(queue: queue, time: time, notification: message)]
    let nonce = BoxNonce(using: &random)
    guard let text = try? PushedMessages.codec.encode(entries),
      let box = try? PushBox.seal(text, key: token.boxKey, nonce: nonce, paddedTo: PushBox.referencePaddedSize)
    else { return }
    pushes.append(Push(device: token.device, nonce: nonce, message: box))
  }

  // MARK: Trouble

  /// Loses a token with its subscriptions.
  public func forget(_ id: EntityID) {
    tokens[id] = nil
    subscriptions = subscriptions.filter { $0.value.token != id }
  }

  /// Loses everything.
  public func forgetAll() { for id in Array(tokens.keys) { forget(id) } }

  /// Changes the status of all tokens.
  public func setStatus(_ status: TokenStatus) { for id in tokens.keys { tokens[id]?.status = status } }

  /// Changes the status of all subscriptions.
  public func setStatus(_ status: NotifierStatus) {
    for id in subscriptions.keys { subscriptions[id]?.status = status }
  }
}
