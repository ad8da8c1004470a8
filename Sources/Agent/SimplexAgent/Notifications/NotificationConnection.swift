import AgentCore
import NotificationProtocol
import SMPClient
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import SimplexTransport
import WireCodec

/// One connection to a notification server: sends commands, many at a time, and returns their responses.
actor NotificationConnection {
  typealias Completion = @Sendable (Result<NotificationResponse, SMPClientError>) -> Void

  private struct Pending {
    var entity: EntityID
    var deadline: ContinuousClock.Instant
    var completion: Completion
  }

  private let link: AsyncBlockConnection
  private let configuration: SMPClientConfiguration
  private var session: EstablishedSession
  private var batch: BlockBatch
  private var pending: [CorrelationID: Pending] = [:]
  private var isFlushing = false
  private var random = SystemRandom()
  private var tasks: [Task<Void, Never>] = []
  /// Why the connection was closed; nil while it is open.
  private(set) var failure: SMPClientError?

  private init(_ link: AsyncBlockConnection, session: EstablishedSession, _ configuration: SMPClientConfiguration) {
    self.link = link
    self.session = session
    self.configuration = configuration
    batch = BlockBatch(session.context)
  }

  deinit {
    for task in tasks { task.cancel() }
    link.close()
  }

  // MARK: Connecting

  /// Connects to the first of the server's hosts that answers.
  static func connect(
    to server: NotificationServer, _ configuration: SMPClientConfiguration
  ) async throws(SMPClientError) -> NotificationConnection {
    var options = TransportClient.Options()
    options.keepAlive = configuration.keepAlive
    options.addresses = configuration.addresses
    options.blockSize = NotificationTransport.blockSize
    let transport: TransportClient
    do {
      transport = try TransportClient(
        TLSClientConfiguration(applicationProtocols: [NotificationTransport.applicationProtocol]))
    } catch {
      throw SMPClientError(error)
    }
    var failure = SMPClientError.noHost
    let deadline = ContinuousClock.now + configuration.connectDeadline
    for host in try configuration.hosts.hosts(of: server, hasProxy: configuration.socksProxy != nil) {
      let rest = deadline - .now
      guard rest > .zero else { throw failure == .noHost ? .timeout : failure }
      options.timeout = min(configuration.connectTimeout, rest)
      options.proxy = configuration.socksMode == .always || host.isOnion ? configuration.socksProxy : nil
      do throws(SMPClientError) {
        return try await connect(transport, to: host, of: server, options: options, configuration)
      } catch {
        failure = error
      }
      if failure == .cancelled { break }
    }
    throw failure
  }

  private static func connect(
    _ transport: TransportClient, to host: TransportHost, of server: NotificationServer,
    options: TransportClient.Options, _ configuration: SMPClientConfiguration
  ) async throws(SMPClientError) -> NotificationConnection {
    let link: AsyncBlockConnection
    do {
      link = try await AsyncBlockConnection.connect(
        transport, host: host.description, port: Int(server.effectivePort),
        policy: .relay(fingerprint: server.keyHash), options: options)
    } catch {
      throw SMPClientError(error)
    }
    guard let der = try? link.session.peerCertificates.leaf?.publicKeyDER(), let key = try? AnyPublicKey(der: der)
    else {
      link.close()
      throw .transport(.handshake(handshakeErr: .IDENTITY))
    }
    let handshake = NotificationHandshake(sessionID: SessionID(link.session.identifier), serverKey: key)
    // Nothing answers in time where the peer is no notification server.
    let timer = Task {
      try? await Task.sleep(for: options.timeout)
      if !Task.isCancelled { link.close() }
    }
    defer { timer.cancel() }
    do {
      var blocks = link.blocks.makeAsyncIterator()
      guard let block = try await blocks.next() else { throw SMPClientError.closed }
      let answer = try handshake.answer(block: block, keyHash: server.keyHash)
      try await link.send(answer.block)
      let connection = NotificationConnection(link, session: answer.session, configuration)
      await connection.start(blocks)
      return connection
    } catch let error as SMPClientError {
      link.close()
      throw error
    } catch let error as ProtocolTransportError {
      link.close()
      throw .transport(error)
    } catch let error as TransportError {
      link.close()
      throw SMPClientError(error)
    } catch {
      link.close()
      throw .closed
    }
  }

  private func start(_ blocks: sending AsyncBlockConnection.Blocks.AsyncIterator) {
    var iterator = blocks
    tasks.append(
      Task { [weak self] in
        while let block = try? await iterator.next() { await self?.receive(block) }
        await self?.close(.closed)
      })
    tasks.append(
      Task { [weak self] in
        while !Task.isCancelled {
          try? await Task.sleep(for: .seconds(1))
          if await self?.expire() == nil { return }
        }
      })
  }

  // MARK: Commands

  /// Sends a command and waits for its response.
  func perform(_ request: NotificationRequest) async throws(SMPClientError) -> NotificationResponse {
    try await withCheckedContinuation { continuation in
      let completion: Completion = { continuation.resume(returning: $0) }
      start([(request, completion)])
    }.get()
  }

  /// Sends commands in this order, in as few blocks as they fit, without waiting for their responses.
  func start(_ requests: [(request: NotificationRequest, completion: Completion)]) {
    for (request, completion) in requests {
      if let failure {
        completion(.failure(failure))
        continue
      }
      let correlation = CorrelationID(using: &random)
      do throws(SMPClientError) {
        try add(request, correlation)
      } catch {
        completion(.failure(error))
        continue
      }
      pending[correlation] = Pending(
        entity: request.entity, deadline: .now + configuration.requestTimeout, completion: completion)
    }
    guard !isFlushing, !batch.isEmpty else { return }
    isFlushing = true
    Task { await self.flush() }
  }

  private func add(_ request: NotificationRequest, _ correlation: CorrelationID) throws(SMPClientError) {
    let context = session.context
    var signer: CommandSigner?
    if let key = request.key {
      do { signer = try CommandSigner(key, serverKey: session.serverKey) } catch { throw .transport(error) }
    }
    do throws(WireError) {
      try batch.add { (writer) throws(WireError) in
        guard let signer else {
          return try context.write(request.command, entity: request.entity, correlation: correlation, to: &writer)
        }
        try context.write(
          request.command, entity: request.entity, correlation: correlation, signer: signer, to: &writer)
      }
    } catch {
      throw .transport(.largeMsg)
    }
  }

  private func flush() async {
    defer { isFlushing = false }
    while failure == nil {
      guard let blocks = try? batch.takeBlocks(sealing: &session.sealing), !blocks.isEmpty else { return }
      do { try await link.send(blocks: blocks) } catch { return close(SMPClientError(error)) }
    }
  }

  /// Closes the connection; pending commands fail.
  func close(_ error: SMPClientError) {
    guard failure == nil else { return }
    failure = error
    for task in tasks { task.cancel() }
    tasks = []
    let waiting = pending.values
    pending = [:]
    for command in waiting { command.completion(.failure(error)) }
    link.close()
  }

  // MARK: Responses

  private func receive(_ block: [UInt8]) {
    guard failure == nil else { return }
    var block = block
    let content: Range<Int>
    do throws(CryptoError) {
      var bytes = block.mutableBytes
      content = try session.sealing.open(&bytes)
    } catch {
      return close(.transport(.badBlock))
    }
    let transmissions = session.context.transmissions(
      of: NotificationResponse.self, in: block.span.bytes.extracting(content))
    for transmission in transmissions {
      guard let command = pending.removeValue(forKey: transmission.correlationID) else { continue }
      command.completion(result(of: transmission, entity: command.entity))
    }
  }

  private func result(
    of transmission: ReceivedTransmission<NotificationResponse>, entity: EntityID
  ) -> Result<NotificationResponse, SMPClientError> {
    switch transmission.message {
    case .failure(let error): .failure(.response(error))
    case .success(.err(let error)): .failure(.relay(error))
    case .success(let response) where transmission.entityID != entity:
      .failure(.unexpectedResponse(response.form.keyword))
    case .success(let response): .success(response)
    }
  }

  private func expire() {
    // A server that does not answer one command is asked over another connection.
    if pending.values.contains(where: { $0.deadline <= .now }) { close(.timeout) }
  }
}
