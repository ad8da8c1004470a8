import HTTP2Transport
import SMPProtocol
import SimplexCrypto
import WireCodec
import XFTPProtocol

extension FileRelayConnection {
  /// The most keys of recipients in one FNEW or FADD, so that the command fits its block with every kind of key.
  public static let recipientLimit = 200

  /// Creates a chunk (FNEW); returns the identifiers of the sender and of the recipients, in the order of their keys.
  public func create(
    _ request: NewChunkRequest, key: AuthorizationPrivateKey
  ) async throws(FileClientError) -> (sender: EntityID, recipients: [EntityID]) {
    guard case .sids(let sender, let recipients) = try await perform(.fnew(request), about: .none, key: key),
      recipients.count == request.recipientKeys.count
    else { throw .unexpectedResponse("FNEW") }
    return (sender, recipients)
  }

  /// Adds recipients to a chunk (FADD); returns their identifiers, in the order of the keys.
  public func addRecipients(
    _ keys: [AuthorizationKey], to sender: EntityID, key: AuthorizationPrivateKey
  ) async throws(FileClientError) -> [EntityID] {
    guard case .rids(let recipients) = try await perform(.fadd(keys), about: sender, key: key),
      recipients.count == keys.count
    else { throw .unexpectedResponse("FADD") }
    return recipients
  }

  /// Deletes a chunk (FDEL).
  public func delete(_ sender: EntityID, key: AuthorizationPrivateKey) async throws(FileClientError) {
    guard case .ok = try await perform(.fdel, about: sender, key: key) else { throw .unexpectedResponse("FDEL") }
  }

  /// Tells the relay that the recipient needs the chunk no more (FACK).
  public func acknowledge(_ recipient: EntityID, key: AuthorizationPrivateKey) async throws(FileClientError) {
    guard case .ok = try await perform(.fack, about: recipient, key: key) else { throw .unexpectedResponse("FACK") }
  }

  /// Keeps the connection alive (PING).
  public func ping() async throws(FileClientError) {
    guard case .pong = try await perform(.ping, about: .none, key: nil) else { throw .unexpectedResponse("PING") }
  }

  // MARK: Chunks

  /// Uploads the bytes of a chunk (FPUT). When it returns, the relay has stored them durably.
  ///
  /// - Parameters:
  ///   - whenSent: called before the response is awaited: all bytes were passed to the system, or sending failed.
  ///   - read: returns the next bytes, at most the number it is given and at least one; it must not block. Its error
  ///     becomes ``FileClientError/local(_:)``.
  public func upload(
    _ size: UInt32, to sender: EntityID, key: AuthorizationPrivateKey, whenSent: () -> Void = {},
    read: (Int) async throws -> [UInt8]
  ) async throws(FileClientError) {
    // A part passes as a whole, when the relay has taken the one before.
    let stream = try await open(
      .fput, about: sender, key: key, timeout: configuration.timeout * (Self.partSize / Self.progress),
      renewedBy: Self.progress)
    try await resettingWhenCancelled(stream) { () async throws(FileClientError) in
      try await upload(size, on: stream, whenSent: whenSent, read: read)
    }
  }

  private func upload(
    _ size: UInt32, on stream: HTTP2Stream, whenSent: () -> Void, read: (Int) async throws -> [UInt8]
  ) async throws(FileClientError) {
    var left = Int(size)
    var failure: HTTP2Error?
    while left > 0, failure == nil {
      let part: [UInt8]
      do { part = try await read(min(left, Self.partSize)) } catch {
        stream.reset()
        throw FileClientError(local: error)
      }
      guard !part.isEmpty, part.count <= left else {
        stream.reset()
        throw .local("the file has become shorter")
      }
      left -= part.count
      do throws(HTTP2Error) { try await stream.send(part, isLast: left == 0) } catch { failure = error }
    }
    if failure == nil {
      do throws(HTTP2Error) { try await stream.flush() } catch { failure = error }
    }
    whenSent()
    stream.setDeadline(configuration.timeout(ofChunk: size))
    // A relay that refuses answers before it has read everything, and may read no more.
    defer { if failure != nil { stream.reset() } }
    do throws(FileClientError) {
      guard case .ok = try await response(of: stream).0, failure == nil else { throw .unexpectedResponse("FPUT") }
    } catch {
      if case .relay = error { throw error }
      throw failure.map { FileClientError($0) } ?? error
    }
  }

  /// Downloads the bytes of a chunk (FGET), and checks the box and the digest.
  ///
  /// - Parameter write: Takes the next bytes, and must not block. They are authentic only when this function returns.
  public func download(
    _ size: UInt32, digest: [UInt8], of recipient: EntityID, key: AuthorizationPrivateKey,
    write: ([UInt8]) async throws -> Void
  ) async throws(FileClientError) {
    var random = SystemRandom()
    let boxPrivateKey = X25519.PrivateKey(using: &random)
    let stream = try await open(
      .fget(boxPrivateKey.publicKey), about: recipient, key: key, renewedBy: Self.progress, isWhole: true)
    try await resettingWhenCancelled(stream) { () async throws(FileClientError) in
      let (response, start) = try await response(of: stream)
      guard case .file(let box) = response else { throw .unexpectedResponse("FGET") }
      guard let boxKey = try? boxPrivateKey.boxKey(with: box.relayKey) else { throw .received(.CRYPTO) }
      try await receive(size, digest: digest, start: start, box: box, key: boxKey, on: stream, write: write)
    }
  }

  private func receive(
    _ size: UInt32, digest: [UInt8], start: [UInt8], box: ChunkBox, key boxKey: BoxKey, on stream: HTTP2Stream,
    write: ([UInt8]) async throws -> Void
  ) async throws(FileClientError) {
    let opening = ChunkOpening(key: boxKey, nonce: box.nonce)
    var left = Int(size)
    var tag: [UInt8] = []
    var next: [UInt8]? = start
    // Taken, so that it is decrypted in its place.
    while var part = next.take() {
      let count = min(part.count, left)
      tag += part[count...]
      guard tag.count <= BoxKey.overhead else {
        stream.reset()
        throw .received(.SIZE)
      }
      if count > 0 {
        part.removeLast(part.count - count)
        left -= count
        opening.open(&part)
        do { try await write(part) } catch {
          stream.reset()
          throw FileClientError(local: error)
        }
      }
      do throws(HTTP2Error) { next = try await stream.read(atLeast: Self.partSize) } catch {
        throw FileClientError(error)
      }
    }
    guard left == 0, let tag = try? AuthTag(tag) else { throw .received(.SIZE) }
    try opening.finish(tag: tag, digest: digest)
  }

  private static let partSize = 128 << 10

  /// The bytes of a chunk that have to pass within the time of a command. A deadline for the whole chunk would depend
  /// on the speed of the network and on how many transfers share it.
  private static let progress = 16 << 10

  // MARK: Requests

  private func perform(
    _ command: FileCommand, about entity: EntityID, key: AuthorizationPrivateKey?
  ) async throws(FileClientError) -> FileResponse {
    let stream = try await open(command, about: entity, key: key, isWhole: true)
    return try await resettingWhenCancelled(stream) { () async throws(FileClientError) in
      try await response(of: stream).0
    }
  }

  /// Sends the block of a command; a chunk may follow unless `isWhole`. Its time begins again with each `progress`
  /// bytes.
  private func open(
    _ command: FileCommand, about entity: EntityID, key: AuthorizationPrivateKey?, timeout: Duration? = nil,
    renewedBy progress: Int? = nil, isWhole: Bool = false
  ) async throws(FileClientError) -> HTTP2Stream {
    var random = SystemRandom()
    let block: [UInt8]
    do {
      let signer = try key.map { key throws(ProtocolTransportError) in try CommandSigner(key, serverKey: relayKey) }
      block = try XFTPBlock.command(
        command, entity: entity, correlation: CorrelationID(using: &random), signer: signer, in: session)
    } catch {
      throw .local("\(error)")
    }
    do throws(HTTP2Error) {
      let stream = try await connection.request(method: "POST")
      stream.setDeadline(timeout ?? configuration.timeout, renewedBy: progress)
      try await stream.send(block, isLast: isWhole)
      return stream
    } catch {
      throw FileClientError(error)
    }
  }

  /// The response, and the bytes after its block that came with it.
  private func response(of stream: HTTP2Stream) async throws(FileClientError) -> (FileResponse, [UInt8]) {
    var body: [UInt8] = []
    do throws(HTTP2Error) {
      let head = try await stream.head()
      guard head.status == 200 else { throw .protocolViolation("status \(head.status)") }
      while body.count < XFTPBlock.size, let part = try await stream.read() { body += part }
    } catch {
      throw FileClientError(error)
    }
    let block = Array(body.prefix(XFTPBlock.size))
    switch XFTPBlock.transmission(of: FileResponse.self, in: block, session: session) {
    case .failure: throw .unexpectedResponse("malformed block")
    case .success(let received):
      switch received.message {
      case .success(.err(let error)):
        stream.reset()
        throw .relay(error)
      case .success(let response): return (response, Array(body.dropFirst(XFTPBlock.size)))
      case .failure: throw .unexpectedResponse("malformed response")
      }
    }
  }
}

/// The box of a chunk that is decrypted in parts.
private final class ChunkOpening {
  private var box: BoxStream?
  private var hash: IncrementalHash?

  init(key: BoxKey, nonce: BoxNonce) {
    box = BoxStream(.open, key: key, nonce: nonce)
    hash = IncrementalHash(.sha256)
  }

  /// Decrypts the next part in place.
  func open(_ part: inout [UInt8]) {
    var span = part.mutableSpan
    var bytes = span.mutableBytes
    box?.process(inPlace: &bytes)
    hash?.update(part.span.bytes)
  }

  /// Checks the tag of the box and the digest of the chunk.
  func finish(tag: AuthTag, digest: [UInt8]) throws(FileClientError) {
    guard let box = box.take(), let hash = hash.take() else { throw .received(.CRYPTO) }
    do throws(CryptoError) { try box.finish(verifying: tag) } catch { throw .received(.CRYPTO) }
    guard hash.finish() == digest else { throw .received(.DIGEST) }
  }
}

/// Runs a request; if the task is cancelled, the stream ends, and with it the request.
func resettingWhenCancelled<Value>(
  _ stream: HTTP2Stream, _ body: () async throws(FileClientError) -> Value
) async throws(FileClientError) -> Value {
  let result = await withTaskCancellationHandler { () async -> Result<Value, FileClientError> in
    do throws(FileClientError) { return .success(try await body()) } catch { return .failure(error) }
  } onCancel: {
    stream.reset()
  }
  return try result.get()
}
