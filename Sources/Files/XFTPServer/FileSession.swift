import ChunkStore
import HTTP2Transport
import RelayChassis
import SMPProtocol
import SimplexCrypto
import SimplexTransport
import Synchronization
import WireCodec
import XFTPProtocol

/// One client's connection: the handshake, and the requests after it.
final class FileSession: HTTP2RequestHandler {
  /// How far the handshake is.
  private enum Handshake {
    case none
    /// The relay's key of the session was sent.
    case keySent(X25519.PrivateKey)
    case accepted(version: UInt16, X25519.PrivateKey)
  }

  let relay: FileRelay
  private let sessionID: SessionID
  private let applicationProtocol: String?
  /// Whether the client is a browser that was presented the web certificate.
  private let isWeb: Bool
  private let handshake = Mutex(Handshake.none)
  /// The address of the client; nil for one that stands for many clients.
  private let holder: ConnectionShare.Holder?

  init(_ peer: HTTP2Peer, of relay: FileRelay) {
    self.relay = relay
    sessionID = SessionID(peer.session.identifier)
    applicationProtocol = peer.session.applicationProtocol
    isWeb = peer.session.usedWebCredential
    holder = relay.configuration.share.holder(of: peer.address)
  }

  /// The owner of the chunks that are created here: the address, or this connection.
  private var owner: ChunkOwner {
    ChunkOwner(holder?.number ?? UInt64(UInt(bitPattern: ObjectIdentifier(self).hashValue)))
  }

  func handle(_ request: HTTP2Head, _ stream: HTTP2Stream) async {
    stream.setDeadline(relay.configuration.requestTimeout)
    do throws(HTTP2Error) {
      if isWeb, request.method == "OPTIONS" { return try await stream.send(Self.preflight, isWhole: true) }
      if isWeb, request.method == "GET" || request.method == "HEAD" { return try await show(request, on: stream) }
      guard request.method == "POST" else {
        return try await stream.send(HTTP2Head(status: 404, fields: responseFields), isWhole: true)
      }
      var body = RequestBody(stream)
      let block = try await body.read(XFTPBlock.size)
      switch applicationProtocol {
      case nil:
        var random = SystemRandom()
        try await execute(
          block, rest: &body, on: stream, version: XFTPVersion.initial, key: X25519.PrivateKey(using: &random))
      case XFTPApplicationProtocol.xftp, XFTPApplicationProtocol.disguised:
        try await afterHandshake(request, block, rest: &body, on: stream)
      case XFTPApplicationProtocol.web where isWeb:
        try await afterHandshake(request, block, rest: &body, on: stream)
      default: try await stream.send(HTTP2Head(status: 200, fields: responseFields), isWhole: true)
      }
    } catch {
      // The client is gone, or too slow.
      stream.reset()
    }
  }

  // MARK: Responses

  private var responseFields: [HTTP2Head.Field] {
    guard isWeb else { return [] }
    return [
      HTTP2Head.Field(name: "access-control-allow-origin", value: "*"),
      HTTP2Head.Field(name: "access-control-expose-headers", value: "*"),
    ]
  }

  private static let preflight = HTTP2Head(
    status: 200,
    fields: [
      HTTP2Head.Field(name: "access-control-allow-origin", value: "*"),
      HTTP2Head.Field(name: "access-control-allow-methods", value: "POST, OPTIONS"),
      HTTP2Head.Field(name: "access-control-allow-headers", value: "*"),
      HTTP2Head.Field(name: "access-control-max-age", value: "86400"),
    ])

  private func answer(_ block: [UInt8], _ stream: HTTP2Stream, isLast: Bool = true) async throws(HTTP2Error) {
    try await stream.send(HTTP2Head(status: 200, fields: responseFields))
    try await stream.send(block, isLast: isLast)
  }

  private func answer(_ error: XFTPErrorType, _ stream: HTTP2Stream) async throws(HTTP2Error) {
    guard let block = try? XFTPBlock.encode(error, XFTPErrorType.codec) else { return stream.reset() }
    try await answer(block, stream)
  }

  // MARK: Handshake

  /// A step of the handshake, or a command after it. Browsers may begin again on the same connection, and say with
  /// header fields which step they mean.
  private func afterHandshake(
    _ request: HTTP2Head, _ block: [UInt8], rest body: inout RequestBody, on stream: HTTP2Stream
  ) async throws(HTTP2Error) {
    let isHello = isWeb && request["xftp-web-hello"] != nil
    let isHandshake = isWeb && request["xftp-handshake"] != nil
    switch handshake.withLock({ $0 }) {
    case .none where isWeb && !isHello: try await answer(.SESSION, stream)
    case .none: try await hello(block, key: nil, stream)
    case .keySent(let key) where isHello: try await hello(block, key: key, stream)
    case .keySent(let key): try await accept(block, key, on: stream)
    case .accepted(_, let key) where isHello: try await hello(block, key: key, stream)
    case .accepted(_, let key) where isHandshake: try await accept(block, key, on: stream)
    case .accepted(let version, let key):
      try await execute(
        block, rest: &body, on: stream, version: version, key: key)
    }
  }

  /// Sends the relay's key, with the proof that a browser asks for.
  private func hello(
    _ block: [UInt8], key: X25519.PrivateKey?, _ stream: HTTP2Stream
  ) async throws(HTTP2Error) {
    var challenge: [UInt8]?
    if !block.isEmpty {
      guard isWeb, let hello = XFTPBlock.decode(block, XFTPClientHello.codec) else {
        return try await answer(.HANDSHAKE, stream)
      }
      challenge = hello.challenge
    }
    var random = SystemRandom()
    let new = key ?? X25519.PrivateKey(using: &random)
    // A hello may have arrived twice at once; all of them are answered with one key.
    let sent = handshake.withLock { handshake -> X25519.PrivateKey in
      if case .keySent(let earlier) = handshake { return earlier }
      handshake = .keySent(new)
      return new
    }
    let credential = relay.configuration.credential
    var proof: [UInt8]?
    if let challenge {
      guard let signature = try? credential.key.sign(challenge + sessionID.bytes) else {
        return try await answer(.INTERNAL, stream)
      }
      proof = signature
    }
    guard let signed = try? SignedKey(signing: .x25519(sent.publicKey), { try credential.key.sign($0) }),
      let block = try? XFTPBlock.encode(
        XFTPServerHandshake(
          versions: relay.configuration.versions, sessionID: sessionID,
          sessionKey: CertifiedKey(certificates: relay.certificates, key: signed), identityProof: proof),
        XFTPServerHandshake.codec)
    else { return try await answer(.INTERNAL, stream) }
    try await answer(block, stream)
  }

  private func accept(
    _ block: [UInt8], _ key: X25519.PrivateKey, on stream: HTTP2Stream
  ) async throws(HTTP2Error) {
    let versions = relay.configuration.versions
    guard let hello = XFTPBlock.decode(block, XFTPClientHandshake.codec), hello.keyHash == relay.fingerprint,
      (versions.lowest...versions.highest).contains(hello.version)
    else { return try await answer(.HANDSHAKE, stream) }
    handshake.withLock { $0 = .accepted(version: hello.version, key) }
    try await stream.send(HTTP2Head(status: 200, fields: responseFields), isWhole: true)
  }

  // MARK: Commands

  private func execute(
    _ block: [UInt8], rest body: inout RequestBody, on stream: HTTP2Stream, version: UInt16, key: X25519.PrivateKey
  ) async throws(HTTP2Error) {
    let session = SessionContext(version: version, sessionID: sessionID)
    let received: ReceivedTransmission<FileCommand>
    switch XFTPBlock.transmission(of: FileCommand.self, in: block, session: session) {
    case .success(let transmission): received = transmission
    case .failure(let error):
      return try await respond(.err(XFTPErrorType(error)), to: nil, in: session, on: stream)
    }
    let command: FileCommand
    switch received.message {
    case .success(let message): command = message
    case .failure(let error):
      return try await respond(.err(XFTPErrorType(error)), to: received, in: session, on: stream)
    }
    let verifier = AuthorizationVerifier(sessionKey: key)
    let response: FileResponse
    switch await relay.verify(command, in: received, with: verifier) {
    case .failure(let error): response = .err(error)
    case .success(.ping): response = .pong
    case .success(.new(let request)): response = await relay.create(request, by: owner)
    case .success(.chunk(let command, let chunk)):
      switch command {
      case .fadd(let keys): response = await relay.add(keys, to: chunk)
      case .fput: response = try await receive(chunk, &body, on: stream)
      case .fdel: response = await relay.delete(chunk)
      case .fget(let key): return try await send(chunk, to: received, key: key, in: session, on: stream)
      case .fack: response = await relay.acknowledge(received.entityID)
      case .fnew, .ping: response = .err(.INTERNAL)
      }
    }
    try await respond(response, to: received, in: session, on: stream)
  }

  func respond(
    _ response: FileResponse, to received: ReceivedTransmission<FileCommand>?, in session: SessionContext,
    on stream: HTTP2Stream, isLast: Bool = true
  ) async throws(HTTP2Error) {
    guard
      let block = try? XFTPBlock.response(
        response, entity: received?.entityID ?? .none, correlation: received?.correlationID ?? .none, in: session)
    else { return stream.reset() }
    try await answer(block, stream, isLast: isLast)
  }
}
