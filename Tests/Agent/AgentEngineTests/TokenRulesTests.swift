import AgentCore
import NotificationProtocol
import NotificationTesting
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import Testing

@Suite("What becomes of a token is a table")
struct TokenRulesTests {
  static let device = PushDevice(service: .apple, token: "abcd")
  static let other = PushDevice(service: .apple, token: "ef01")
  static let code = RegistrationCode([1, 2, 3])
  static let id = EntityID([5])
  let now: Int64 = 1_000_000

  func token(id: EntityID?, _ action: TokenAction?, status: TokenStatus = .registered) -> NotificationToken {
    var random = InsecureSeededRandom(seed: 1)
    var token = NotificationToken(
      server: NotificationServerModel("ntf.example").server, device: Self.device,
      key: .ed25519(Ed25519.PrivateKey(using: &random)), dhKey: X25519.PrivateKey(using: &random), mode: .instant)
    token.id = id
    token.action = action
    token.status = status
    return token
  }

  static let registrations: [(id: EntityID?, before: TokenAction?, device: PushDevice, after: TokenAction)] = [
    (nil, .register, device, .register), (nil, .register, other, .register), (nil, nil, device, .register),
    (id, nil, device, .register), (id, nil, other, .replace(other)),
    (id, .verify(code), device, .verify(code)), (id, .verify(code), other, .replace(other)),
    (id, .check, device, .check), (id, .setInterval, device, .check), (id, .check, other, .replace(other)),
    (id, .replace(other), other, .replace(other)), (id, .replace(other), device, .replace(device)),
  ]

  @Test(arguments: registrations)
  func registering(_ row: (id: EntityID?, before: TokenAction?, device: PushDevice, after: TokenAction)) {
    var token = token(id: row.id, row.before)
    token.dueAt = now + 1_000_000
    token.register(row.device, mode: .periodic, now: now)
    #expect(token.action == row.after)
    #expect(token.dueAt == now && token.mode == .periodic)
    // The device is that of the server until it replaced it.
    #expect(token.device == (row.id == nil ? row.device : Self.device))
  }

  @Test func theStepsOfARegistration() throws {
    var token = token(id: nil, nil, status: .new)
    token.register(Self.device, mode: .instant, now: now)
    guard case .tnew(let request) = token.command else { throw AgentError.internalError("no TNEW") }
    #expect(request.device == Self.device && request.verifyKey == token.key.publicKey)
    token.registered(Self.id, boxKey: try BoxKey(SecretBytes([UInt8](repeating: 4, count: 32))))
    #expect(token.status == .registered && token.action == nil && token.dueAt == nil && token.command == nil)
    token.verify(Self.code, now: now)
    #expect(token.status == .confirmed && token.command == .tvfy(Self.code) && !token.pushesMessages)
    token.verified(now: now)
    #expect(token.status == .active && token.command == .tcrn(20) && token.pushesMessages)
    token.intervalSet(now: now)
    #expect(token.command == .tchk && token.dueAt == now + NotificationToken.checkInterval)
    token.mode = .periodic
    #expect(!token.pushesMessages)
  }

  static let checks: [(before: TokenAction?, status: TokenStatus, after: TokenAction?)] = [
    (.check, .active, .setInterval), (.setInterval, .active, .setInterval), (nil, .active, .setInterval),
    (.verify(code), .active, .setInterval), (.verify(code), .confirmed, .verify(code)),
    (.verify(code), .registered, .verify(code)), (.verify(code), .expired, nil),
    (.check, .invalid(.bad), nil), (.check, .invalid(nil), nil), (.check, .expired, nil), (.check, .registered, nil),
    (.setInterval, .confirmed, nil), (.check, .new, nil), (nil, .registered, nil),
    (.replace(other), .active, .replace(other)), (.replace(other), .invalid(.topic), .replace(other)),
  ]

  @Test(arguments: checks)
  func checking(_ row: (before: TokenAction?, status: TokenStatus, after: TokenAction?)) {
    var token = token(id: Self.id, row.before, status: .active)
    token.dueAt = now
    token.checked(row.status, now: now)
    #expect(token.status == row.status && token.action == row.after)
  }

  @Test func failures() {
    for action: TokenAction in [.register, .verify(Self.code), .check, .setInterval, .replace(Self.other)] {
      #expect(TokenFailure(.relay(.AUTH), of: action) == .renew)
      #expect(TokenFailure(.timeout, of: action) == .retry)
      #expect(TokenFailure(.noHost, of: action) == .retry)
    }
    #expect(TokenFailure(.relay(.QUOTA), of: .setInterval) == .skip)
    #expect(TokenFailure(.relay(.QUOTA), of: .register) == .retry)
    #expect(TokenFailure(.unexpectedResponse("PONG"), of: .replace(Self.other)) == .renew)
    #expect(TokenFailure(.unexpectedResponse("PONG"), of: .verify(Self.code)) == .retry)
    var token = token(id: Self.id, .check)
    token.failed(at: now, retryAt: now + 5)
    token.failed(at: now + 5, retryAt: now + 9)
    #expect(token.attempts == 2 && token.dueAt == now + 9 && token.failingSince == now)
    token.checked(.active, now: now)
    #expect(token.attempts == 0 && token.failingSince == nil)
  }

  // MARK: Queues

  func row(_ change: (inout QueueNotifications) -> Void = { _ in }) -> QueueNotifications {
    var row = QueueNotifications(queue: 1)
    change(&row)
    return row
  }

  @Test func stepsOfAQueue() {
    let notifier = EntityID([8]), other = EntityID([9])
    let active = token(id: Self.id, .check, status: .active)
    let waiting = token(id: Self.id, nil, status: .registered)
    let subscribed = row { $0.subscribed(EntityID([3]), notifier: notifier, token: Self.id, now: now) }
    let ofAnother = row { $0.subscribed(EntityID([3]), notifier: notifier, token: EntityID([6]), now: now) }
    let table: [(QueueNotifications, Bool, EntityID?, NotificationToken?, QueueNotificationStep)] = [
      (row(), true, nil, active, .createNotifier), (row(), true, notifier, active, .subscribe),
      (row(), true, nil, waiting, .wait), (subscribed, true, notifier, active, .check),
      // The queue has another notifier, or the token is another one.
      (subscribed, true, other, active, .subscribe), (ofAnother, true, notifier, active, .createNotifier),
      (ofAnother, true, other, active, .subscribe),
      // It is not wanted, or its queue is gone, or there is no token.
      (row { $0.isWanted = false }, true, notifier, active, .deleteNotifier),
      (row { $0.isWanted = false }, true, nil, active, .forget), (subscribed, false, nil, active, .unsubscribe),
      (ofAnother, false, nil, active, .forget), (subscribed, true, notifier, nil, .deleteNotifier),
      (subscribed, true, nil, nil, .forget),
    ]
    for (index, (row, exists, current, token, step)) in table.enumerated() {
      #expect(row.step(exists: exists, notifier: current, token: token) == step, "row \(index)")
    }
  }

  @Test func checksOfAQueue() {
    var row = row { $0.subscribed(EntityID([3]), notifier: EntityID([8]), token: Self.id, now: now) }
    #expect(row.dueAt == now + 86_400_000)
    for status: NotifierStatus in [.new, .pending, .active, .inactive] {
      let works = row.checked(status, now: now)
      #expect(works)
      #expect(row.dueAt == now + 3 * 86_400_000)
    }
    for status: NotifierStatus in [.end, .deleted, .auth, .service, .error("x")] {
      let works = row.checked(status, now: now)
      #expect(!works)
    }
    // The first time at once; a server that refuses all of them is not asked all the time.
    row.renew(now: now) { $0 * 1_000 }
    #expect(row.dueAt == now && row.subscription == nil)
    row.renew(now: now) { $0 * 1_000 }
    #expect(row.dueAt == now + 2_000)
  }
}
