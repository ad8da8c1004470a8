import HTTP2Transport
import RemoteControlCore
import RemoteControlProtocol
import SMPProtocol
import SimplexCrypto
import SimplexTransport

/// The controller's side of remote control: one session with one host.
///
/// Executes the effects of a ``ControllerSession``, one step after the other, and polls the connected host for events.
/// Call ``stop()`` before releasing it.
public actor RemoteController {
  /// What the user needs to connect the host.
  /// - `invitation`: the link, with the first of the addresses.
  /// - `addresses`: the addresses at which the host may reach this device.
  /// - `port`: the port of the listener.
  public typealias Started = (invitation: SignedInvitation, addresses: [LocalAddress], port: UInt16)

  /// What happens to the session, in order.
  enum Message: Sendable {
    case input(ControllerInput)
    case start(ControllerStart, LocalAddress?, Answer)
    case stop(Answer)
    /// A host's TLS handshake is complete.
    case linked(ConnectionNumber, BlockConnection)
  }

  typealias Answer = CheckedContinuation<Result<ControllerAnswer, RemoteSessionError>, Never>

  var session: ControllerSession
  let pairings: any ControllerPairingStore
  let discovery: any RemoteDiscovery
  let temporaryFolder: String
  let onEvent: @Sendable (ControllerEvent) -> Void
  let onRemoteEvent: @Sendable (RemoteResult) async -> Void
  let messages: AsyncStream<Message>.Continuation
  let acceptance: HostAcceptance
  private let clock = DeviceClock()
  private var timer = DeadlineTimer()

  var preferredAddress: LocalAddress?
  var listeners: [ConnectionNumber: TransportServer] = [:]
  /// The addresses of this device when they were last looked up.
  var addresses: [LocalAddress] = []
  var links: [ConnectionNumber: BlockConnection] = [:]
  /// The connection that carries requests.
  var connected: ConnectionNumber?
  var requests: ControllerRequests?
  var polling: Task<Void, Never>?
  /// The `start` whose listener is being started.
  var waitingStart: Answer?

  /// The application record of the host of the present session; nil before it has sent one.
  public internal(set) var hostInfo: HostAppInfo?

  /// Why the last announcement could not be sent; nil if it was. The invitation can be used nevertheless.
  public internal(set) var announcementError: RemoteControlError?

  /// A controller without a session.
  /// - Parameters:
  ///   - temporaryFolder: an existing folder for received files.
  ///   - onEvent: called with each event of the session, in order.
  ///   - onRemoteEvent: called with each event of the host, in order. The next one is asked for when it returns.
  public init(
    settings: ControllerSettings, pairings: any ControllerPairingStore, discovery: any RemoteDiscovery,
    temporaryFolder: String, onEvent: @escaping @Sendable (ControllerEvent) -> Void,
    onRemoteEvent: @escaping @Sendable (RemoteResult) async -> Void
  ) {
    session = ControllerSession(settings: settings)
    acceptance = HostAcceptance(session)
    self.pairings = pairings
    self.discovery = discovery
    self.temporaryFolder = temporaryFolder
    self.onEvent = onEvent
    self.onRemoteEvent = onRemoteEvent
    let (stream, continuation) = AsyncStream<Message>.makeStream()
    messages = continuation
    Task { [weak self] in
      for await message in stream { await self?.handle(message) }
    }
  }

  deinit {
    messages.finish()
    polling?.cancel()
    for link in links.values { link.close() }
    let servers = Array(listeners.values)
    Task { for server in servers { await server.stopAccepting() } }
  }

  /// The state that users see; nil if there is no session, or a lost host has not connected again.
  public var state: ControllerSessionState? { session.state }

  /// Whether a lost host is looked for.
  public var isReconnecting: Bool { session.isReconnecting }

  /// Changes the settings, which the next invitation uses.
  public func update(_ settings: ControllerSettings) { session.settings = settings }

  // MARK: Commands

  /// Starts a session: listens on all addresses for the host, which needs the invitation of the result.
  /// - Parameter address: the address to prefer, or one of the interface to prefer; nil for the most likely one.
  /// - Throws: `busy`, `control(.newController)`, `control(.noLocalAddress)`, `control(.tlsStartFailed)`; `inactive` if
  ///   it was stopped meanwhile.
  public func start(_ start: ControllerStart, address: LocalAddress? = nil) async throws(RemoteSessionError) -> Started
  {
    let result = await withCheckedContinuation { messages.yield(.start(start, address, $0)) }
    guard case .started(let invitation) = try result.get() else { throw .inactive }
    return (invitation, addresses, invitation.invitation.port)
  }

  /// Ends the session, or the search for a lost host, without an event.
  public func stop() async {
    _ = await withCheckedContinuation { (answer: Answer) in messages.yield(.stop(answer)) }
  }

  /// Has the host execute a command; up to 64 at the same time. Without a time limit, except that all fail when the
  /// session ends; cancelling the task cancels the request.
  /// - Parameter filePath: the file of ``RemoteCommand/storeFile(name:size:digest:)``, whose size and digest are those
  ///   of its ``RemoteFileSummary``.
  /// - Returns: the response, and for ``RemoteResponse/file(size:digest:)`` the path of a file in the temporary folder,
  ///   with that size and digest, which only its owner can read. The caller moves or removes it. As long as the answer
  ///   is kept, a long response counts for the limit of those of all hosts, 256 MB.
  public func send(
    _ command: RemoteCommand, filePath: String? = nil
  ) async throws(RemoteRequestError) -> RemoteAnswer {
    do throws(RemoteSessionError) { try session.requireConnected() } catch { throw .session(error) }
    guard let requests else { throw .session(.badState) }
    return try await requests.send(command, filePath: filePath)
  }

  // MARK: Steps

  private func handle(_ message: Message) async {
    switch message {
    case .input(let input):
      if case .time = input {
        timer.cancel()
        await checkAddresses()
      }
      await step(input)
    case .start(let start, let address, let answer):
      let isFree = session.state == nil
      if isFree { preferredAddress = address }
      await step(.start(start), asking: answer)
    case .stop(let answer):
      await step(.stop)
      answer.resume(returning: .success(.stopped))
    case .linked(let number, let connection):
      links[number] = connection
      guard let host = connection.authority else { return connection.close() }
      await step(.connected(number, connection.sessionID, host: host))
    }
  }

  /// Handles an input and executes its effects.
  func step(_ input: ControllerInput, asking answer: Answer? = nil) async {
    var random = SystemRandom()
    let effects = session.handle(input, at: clock.reading, random: &random)
    acceptance.update(session)
    await execute(effects, asking: answer)
    timer.schedule(session.deadline, clock: clock) { [messages] in messages.yield(.input(.time)) }
  }
}
