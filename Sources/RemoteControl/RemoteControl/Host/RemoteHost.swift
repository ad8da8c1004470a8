import RemoteControlCore
import RemoteControlProtocol
import SMPProtocol
import SimplexCrypto
import SimplexTransport

/// The host's side of remote control: one session with a controller at a time.
///
/// Executes the effects of a ``HostSession``, one step after the other. Call ``stop()`` before releasing it, and when
/// the application is suspended.
public actor RemoteHost {
  /// What happens to the session, in order.
  enum Message: Sendable {
    case input(HostInput)
    case command(HostCommand, HostInput, CheckedContinuation<Result<HostAnswer, RemoteSessionError>, Never>)
    /// The TLS handshake with the controller is complete.
    case linked(ConnectionNumber, BlockConnection)
    /// A datagram arrived.
    case datagram([UInt8], from: IPv4Address, PendingDatagrams)
  }

  typealias Answer = CheckedContinuation<Result<HostAnswer, RemoteSessionError>, Never>

  var session: HostSession
  let pairings: any HostPairingStore
  let handler: any RemoteRequestHandler
  let discovery: any RemoteDiscovery
  let temporaryFolder: String
  let onEvent: @Sendable (HostEvent) -> Void
  let messages: AsyncStream<Message>.Continuation
  private let clock = DeviceClock()
  private var timer = DeadlineTimer()

  var attempts: [ConnectionNumber: Task<Void, Never>] = [:]
  var links: [ConnectionNumber: BlockConnection] = [:]
  var listener: (any RemoteDiscoveryListener)?
  /// The user's `verify`, whose answer comes in a later step.
  var waitingVerify: Answer?

  /// A host without a session.
  /// - Parameters:
  ///   - temporaryFolder: an existing folder for files that are being received.
  ///   - onEvent: called with each event, in order.
  public init(
    settings: HostSettings, pairings: any HostPairingStore, handler: any RemoteRequestHandler,
    discovery: any RemoteDiscovery, temporaryFolder: String, onEvent: @escaping @Sendable (HostEvent) -> Void
  ) {
    session = HostSession(settings: settings)
    self.pairings = pairings
    self.handler = handler
    self.discovery = discovery
    self.temporaryFolder = temporaryFolder
    self.onEvent = onEvent
    let (stream, continuation) = AsyncStream<Message>.makeStream()
    messages = continuation
    Task { [weak self] in
      for await message in stream { await self?.handle(message) }
    }
  }

  deinit {
    messages.finish()
    for attempt in attempts.values { attempt.cancel() }
    for link in links.values { link.close() }
    if let listener { Task { await listener.stop() } }
  }

  /// The state that users see; nil if there is no session.
  public var state: HostSessionState? { session.state }

  /// The controller of the session, if it is known; nil while searching.
  public var controller: CertificateFingerprint? { session.controller }

  /// Changes the settings, which the next session uses.
  public func update(_ settings: HostSettings) { session.settings = settings }

  // MARK: Commands

  /// Connects to the controller of an invitation, and answers `connecting` before the connection is made.
  /// - Throws: `badInvitation`, `busy`, `badVersion`, `protocolError(.remoteControl(.identity))`,
  ///   `control(.version)`.
  public func connect(_ invitation: ReceivedInvitation) async throws(RemoteSessionError) -> HostAnswer {
    let credentials: RemoteCredentials
    do { credentials = try .new(for: .host) } catch { throw .control(.internal("\(error)")) }
    let controller = invitation.unverified.controller
    let known = try await storedPairings().first { $0.controller == controller }
    return try await perform(.connect, .connect(invitation, known: known, credentials: credentials))
  }

  /// Looks for the known controllers, and answers `searching`; those that announce themselves are reported.
  /// - Throws: `noKnownControllers`, `busy`, `control(.exception)` if announcements cannot be received.
  public func find() async throws(RemoteSessionError) -> HostAnswer {
    // Records of which no session was complete are not shown, but their keys may be the controller's last ones.
    try await perform(.find, .find(storedPairings()))
  }

  /// Connects to a controller that was found, and answers `connecting`.
  /// - Throws: `badState`, `badController`, and the errors of ``connect(_:)``.
  public func confirm(_ controller: CertificateFingerprint) async throws(RemoteSessionError) -> HostAnswer {
    try await perform(.confirm, .confirm(controller))
  }

  /// Compares the session code, and answers `connected` when the session is complete and its record stored.
  /// - Throws: `protocolError(.sessionCode)` for another code, which ends the session; `inactive`, `badState`,
  ///   `timeout`, and errors of the handshake.
  public func verify(_ code: String) async throws(RemoteSessionError) -> HostAnswer {
    try await perform(.verify, .verify(code))
  }

  /// Ends the session, without an event; returns when everything is closed.
  public func stop() async { _ = try? await perform(.stop, .stop) }

  private func storedPairings() async throws(RemoteSessionError) -> [HostPairing] {
    do { return try await pairings.hostPairings() } catch { throw .control(.exception("\(error)")) }
  }

  private func perform(_ command: HostCommand, _ input: HostInput) async throws(RemoteSessionError) -> HostAnswer {
    let result = await withCheckedContinuation { messages.yield(.command(command, input, $0)) }
    return try result.get()
  }

  // MARK: Steps

  private func handle(_ message: Message) async {
    switch message {
    case .input(let input):
      if case .time = input { timer.cancel() }
      await step(input, asking: nil)
    case .command(let command, let input, let answer): await step(input, asking: (command, answer))
    case .datagram(let datagram, let source, let pending):
      pending.remove()
      await step(.datagram(datagram, from: source), asking: nil)
    case .linked(let number, let connection):
      attempts[number] = nil
      links[number] = connection
      guard let controller = connection.authority else { return connection.close() }
      await step(.connected(number, connection.sessionID, controller: controller), asking: nil)
    }
  }

  /// Handles an input and executes its effects. The answer of a command belongs to the command of the same step, or
  /// else to the `verify` that waits.
  func step(_ input: HostInput, asking command: (HostCommand, Answer)?) async {
    var random = SystemRandom()
    let effects = session.handle(input, at: clock.reading.milliseconds, random: &random)
    await execute(effects, asking: command)
    timer.schedule(session.deadline, clock: clock) { [messages] in messages.yield(.input(.time)) }
  }
}
