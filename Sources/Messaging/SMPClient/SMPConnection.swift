import SMPClientCore
import SMPProtocol
import SimplexCrypto
import SimplexTransport
import Synchronization

/// One connection to a relay: sends commands, many at a time, and returns their responses; other transmissions of the
/// relay are events.
///
/// Commands that are added while blocks are being sent share the next blocks.
public actor SMPConnection {
  private enum State {
    case handshake(ClientHandshake, CheckedContinuation<Result<Void, SMPClientError>, Never>?)
    /// Waiting for the relay's decision whether it accepts the service.
    case registering(EstablishedSession, CheckedContinuation<Result<Void, SMPClientError>, Never>?)
    case established
    case closed(SMPClientError)
  }

  /// Receives the outcome of a command, once; must not block.
  public typealias Completion = @Sendable (Result<BrokerMessage, SMPClientError>) -> Void

  /// The events of the relay, in order; ends when the connection does. While more than
  /// ``SMPClientConfiguration/unreadLimit`` bytes are unread, nothing is received.
  public nonisolated let events: EventStream<RequestPipeline.Event>

  /// The executor of the connection's own tasks, where its events can be handled without a thread switch.
  public nonisolated let executor: (any TaskExecutor)?

  private let link: any BlockLink
  private let configuration: SMPClientConfiguration
  private let offer: ClientHandshake.Offer
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant
  private var state: State
  /// The commands in flight; only while the connection is established.
  private var pipeline: RequestPipeline?
  private var waiting: [UInt64: Completion] = [:]
  /// The queues that were created over this connection, until ``takeCreated(_:)``.
  private var created: Set<EntityID> = []
  private var nextID: UInt64 = 0
  private var isFlushing = false
  private var isPinging = false
  private var lastReceived: ContinuousClock.Instant
  private var lastTick: ContinuousClock.Instant
  /// The time for which nothing was received because events were unread; deadlines do not run then.
  private var heldTime = Duration.zero
  private var random = SystemRandom()
  private var tasks: [Task<Void, Never>] = []

  private init(
    _ link: any BlockLink, relayKey: AnyPublicKey, offer: ClientHandshake.Offer, _ configuration: SMPClientConfiguration
  ) {
    executor = configuration.executor ?? link.tasks
    self.link = link
    self.configuration = configuration
    self.offer = offer
    state = .handshake(ClientHandshake(sessionID: link.sessionID, relayKey: relayKey), nil)
    start = clock.now
    lastReceived = start
    lastTick = start
    events = EventStream(limit: configuration.unreadLimit)
  }

  deinit {
    for task in tasks { task.cancel() }
    events.finish()
    link.close()
  }

  /// Connects to the first of the relay's hosts that answers, within ``SMPClientConfiguration/connectDeadline``.
  public static func connect(
    to server: SMPServerAddress, _ configuration: SMPClientConfiguration = SMPClientConfiguration()
  ) async throws(SMPClientError) -> SMPConnection {
    if let makeLink = configuration.makeLink {
      let link = try await makeLink(server)
      return try await establish(link, keyHash: server.keyHash, configuration)
    }
    var options = TransportClient.Options()
    options.keepAlive = configuration.keepAlive
    options.addresses = configuration.addresses
    let hosts = try configuration.hosts.hosts(of: server, hasProxy: configuration.socksProxy != nil)
    let transport: TransportClient
    do {
      transport = try TransportClient(
        TLSClientConfiguration(applicationProtocols: ["smp/1"], credential: configuration.service?.credential))
    } catch {
      throw SMPClientError(error)
    }
    let address = SMPServerAddress(
      hosts: server.hosts, port: configuration.webPort.port(of: server), keyHash: server.keyHash)
    var failure = SMPClientError.noHost
    var limited = configuration
    let deadline = ContinuousClock.now + configuration.connectDeadline
    for host in hosts {
      let rest = deadline - .now
      guard rest > .zero else { throw failure == .noHost ? .timeout : failure }
      limited.connectTimeout = min(configuration.connectTimeout, rest)
      options.timeout = limited.connectTimeout
      options.proxy = configuration.socksMode == .always || host.isOnion ? configuration.socksProxy : nil
      do throws(SMPClientError) {
        let connection = try await transport.connect(host, of: address ?? server, options: options)
        limited.connectTimeout = min(configuration.connectTimeout, max(.seconds(1), deadline - .now))
        return try await establish(TransportLink(connection), keyHash: server.keyHash, limited)
      } catch {
        failure = error
      }
      if failure == .cancelled { break }
    }
    throw failure
  }

  /// Performs the handshake over a link.
  public static func establish(
    _ link: any BlockLink, keyHash: [UInt8], _ configuration: SMPClientConfiguration = SMPClientConfiguration()
  ) async throws(SMPClientError) -> SMPConnection {
    guard let relayKey = link.relayKey else {
      link.close()
      throw .transport(.handshake(handshakeErr: .IDENTITY))
    }
    let offer = ClientHandshake.Offer(
      keyHash: keyHash, versions: configuration.versions, isProxy: configuration.isProxy,
      service: link.presentedCertificates ? configuration.service?.handshake : nil)
    let connection = SMPConnection(link, relayKey: relayKey, offer: offer, configuration)
    try await connection.open()
    return connection
  }

  // MARK: Commands

  /// The session; nil when the connection is closed.
  public var session: EstablishedSession? {
    pipeline?.session
  }

  /// Why the connection was closed; nil while it is open.
  public var failure: SMPClientError? {
    if case .closed(let error) = state { error } else { nil }
  }

  /// Sends a command and waits for its response.
  /// - Throws: `relay` for the relay's ERR, and every other reason why there is no response.
  public func perform(_ request: RequestPipeline.Request) async throws(SMPClientError) -> BrokerMessage {
    nextID += 1
    let id = nextID
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        start(request, id: id) { continuation.resume(returning: $0) }
      }
    } onCancel: {
      Task { await complete(id, .failure(.cancelled)) }
    }
    return try result.get()
  }

  /// Sends commands, in this order and as few blocks as they fit, without waiting for their responses.
  public func start(_ requests: [(request: RequestPipeline.Request, completion: Completion)]) {
    for (request, completion) in requests {
      nextID += 1
      start(request, id: nextID, completion)
    }
  }

  /// Sends commands, in this order and as few blocks as they fit, and waits for all responses, which are in the order
  /// of the commands. A task for each command would take ten times the memory.
  public func perform(_ requests: [RequestPipeline.Request]) async -> [Result<BrokerMessage, SMPClientError>] {
    let responses = Responses(count: requests.count)
    return await withCheckedContinuation { continuation in
      if requests.isEmpty { return continuation.resume(returning: []) }
      for (index, request) in requests.enumerated() {
        nextID += 1
        start(request, id: nextID) { result in
          if let all = responses.add(result, at: index) { continuation.resume(returning: all) }
        }
      }
    }
  }

  private func start(_ request: RequestPipeline.Request, id: UInt64, _ completion: @escaping Completion) {
    if case .closed(let error) = state { return completion(.failure(error)) }
    let deadline = now + milliseconds(configuration.requestTimeout)
    var random = random
    do throws(SMPClientError) {
      let added: Void? = try withPipeline { (pipeline) throws(SMPClientError) in
        try pipeline.add(request, id: id, deadline: deadline, random: &random)
      }
      guard added != nil else { throw .closed }
    } catch {
      return completion(.failure(error))
    }
    waiting[id] = completion
    if !isFlushing {
      isFlushing = true
      Task(executorPreference: executor) { await self.flush() }
    }
  }

  /// Closes the connection; pending commands fail.
  public func close(_ error: SMPClientError = .closed) {
    guard case .closed = state else {
      switch state {
      case .handshake(_, let continuation), .registering(_, let continuation):
        continuation?.resume(returning: .failure(error))
      case .established, .closed: break
      }
      state = .closed(error)
      pipeline = nil
      for task in tasks { task.cancel() }
      tasks = []
      let completions = waiting.values
      waiting = [:]
      for completion in completions { completion(.failure(error)) }
      events.finish()
      link.close()
      return
    }
  }

  /// Forgets that a queue was created over this connection.
  /// - Returns: whether it was, and the connection is still open, so that the relay delivers its messages over it.
  func takeCreated(_ queue: EntityID) -> Bool { created.remove(queue) != nil && pipeline != nil }

  private func complete(_ id: UInt64, _ result: Result<BrokerMessage, SMPClientError>) {
    if case .success(.ids(let ids)) = result { created.insert(ids.recipientID) }
    waiting.removeValue(forKey: id)?(result)
  }

  /// Sends blocks until no commands are left.
  private func flush() async {
    defer { isFlushing = false }
    do throws(SMPClientError) {
      while true {
        let blocks = try withPipeline { (pipeline) throws(SMPClientError) in try pipeline.takeBlocks() } ?? []
        if blocks.isEmpty { return }
        try await link.send(blocks)
      }
    } catch {
      close(error)
    }
  }

  /// Changes the pipeline in place, without copying what it holds.
  private func withPipeline<Value>(
    _ body: (inout RequestPipeline) throws(SMPClientError) -> Value
  ) throws(SMPClientError) -> Value? {
    guard var current = pipeline.take() else { return nil }
    defer { pipeline = current }
    return try body(&current)
  }

  // MARK: Blocks that arrive

  private func open() async throws(SMPClientError) {
    let (link, events) = (link, events)
    tasks.append(
      Task(executorPreference: executor) { [weak self] in
        var failure = SMPClientError.closed
        do throws(SMPClientError) {
          try await link.receive { [weak self] block in
            guard await self?.received(block) == true else { return false }
            await events.waitForReader()
            return true
          }
        } catch {
          failure = error
        }
        await self?.close(failure)
      })
    tasks.append(
      Task(executorPreference: executor) { [weak self] in
        while !Task.isCancelled {
          try? await Task.sleep(for: .seconds(1))
          if await self?.tick() == nil { return }
        }
      })
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Result<Void, SMPClientError>, Never>) in
        switch state {
        case .handshake(let handshake, _): state = .handshake(handshake, continuation)
        case .registering(let session, _): state = .registering(session, continuation)
        case .established: continuation.resume(returning: .success(()))
        case .closed(let error): continuation.resume(returning: .failure(error))
        }
      }
    } onCancel: {
      Task { await close(.cancelled) }
    }
    try result.get()
  }

  /// Handles a block; false if no more are wanted.
  private func received(_ block: [UInt8]) async -> Bool {
    lastReceived = clock.now
    do throws(SMPClientError) {
      switch state {
      case .handshake(let handshake, _):
        try await answer(block, handshake)
        return true
      case .registering(var session, let continuation):
        do throws(ProtocolTransportError) { try session.registered(by: block) } catch { throw .transport(error) }
        established(session, continuation)
        return true
      case .established, .closed: break
      }
      guard let received = try withPipeline({ (pipeline) throws(SMPClientError) in try pipeline.receive(block) }) else {
        return false
      }
      for completion in received.completions { complete(completion.id, completion.result) }
      for event in received.events { events.add(event, size: event.size) }
      return true
    } catch {
      close(error)
      return false
    }
  }

  private func answer(_ block: [UInt8], _ handshake: ClientHandshake) async throws(SMPClientError) {
    var sealing = BlockSealing()
    let hello: [UInt8]
    let session: EstablishedSession
    do throws(ProtocolTransportError) {
      (hello, session) = try handshake.answer(block: block, offer, random: &random)
    } catch {
      throw .transport(error)
    }
    let answer: [UInt8]
    do { answer = try sealing.seal(hello) } catch { throw .transport(.largeMsg) }
    try await link.send([answer])
    // Meanwhile the connection may have been closed, or the caller may already be waiting for it.
    guard case .handshake(_, let continuation) = state else { return }
    if session.awaitsRegistration {
      state = .registering(session, continuation)
    } else {
      established(session, continuation)
    }
  }

  private func established(
    _ session: EstablishedSession, _ continuation: CheckedContinuation<Result<Void, SMPClientError>, Never>?
  ) {
    state = .established
    pipeline = RequestPipeline(session)
    continuation?.resume(returning: .success(()))
  }

  // MARK: Time

  private func tick() {
    let time = clock.now
    if events.isHeld {
      heldTime += time - lastTick
      lastReceived = time
    }
    lastTick = time
    let expired = (try? withPipeline { (pipeline) throws(SMPClientError) in pipeline.expire(at: now) }) ?? []
    for completion in expired { complete(completion.id, completion.result) }
    let silence = clock.now - lastReceived
    switch state {
    case .handshake, .registering: if silence > configuration.connectTimeout { return close(.timeout) }
    case .established, .closed: break
    }
    let limit = configuration.pingInterval + configuration.requestTimeout * configuration.pingCount
    if configuration.pingCount > 0, silence > limit { return close(.timeout) }
    if silence > configuration.pingInterval, !isPinging {
      isPinging = true
      Task {
        _ = try? await perform(RequestPipeline.Request(.ping))
        isPinging = false
      }
    }
  }

  private var now: Int64 { milliseconds(clock.now - start - heldTime) }
}

/// Collects the responses to several commands.
private final class Responses: Sendable {
  private let state: Mutex<(results: [Result<BrokerMessage, SMPClientError>], missing: Int)>

  init(count: Int) {
    state = Mutex((Array(repeating: .failure(.closed), count: count), count))
  }

  /// Adds a response, and returns all of them with the last.
  func add(
    _ result: Result<BrokerMessage, SMPClientError>, at index: Int
  ) -> [Result<BrokerMessage, SMPClientError>]? {
    state.withLock { state in
      state.results[index] = result
      state.missing -= 1
      return state.missing == 0 ? state.results : nil
    }
  }
}

private func milliseconds(_ duration: Duration) -> Int64 {
  let (seconds, attoseconds) = duration.components
  return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
}

extension TransportClient {
  fileprivate func connect(
    _ host: TransportHost, of server: SMPServerAddress, options: Options
  ) async throws(SMPClientError) -> AsyncBlockConnection {
    do {
      return try await AsyncBlockConnection.connect(
        self, host: host.description, port: Int(server.effectivePort), policy: .relay(fingerprint: server.keyHash),
        options: options)
    } catch {
      throw SMPClientError(error)
    }
  }
}
