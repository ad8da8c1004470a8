import COpenSSL
import NIOCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// One side of one TLS connection, over buffers: no sockets, no clock, no threads.
///
/// Ciphertext is passed in with `receive`, and is in `outbound` after any call that may have produced some.
package final class TLSEngine {
  /// The maximum plaintext of one TLS record, and so of one call of `read`.
  package static let recordSize = 16384
  /// What a record has besides its plaintext: head, content type and tag.
  private static let recordOverhead = 22

  /// Ciphertext from the peer that the library has not consumed yet; nil when there is none.
  private(set) var inbound: ByteBuffer?
  /// Ciphertext for the peer. The owner takes it and leaves nil.
  var outbound: ByteBuffer?

  private let ssl: OpaquePointer
  private let context: TLSContext
  private let policy: ChainPolicy
  /// Why the peer's certificates were refused, if they were.
  private var refusal: CertificateError?
  private var webRefusalCode = X509_V_ERR_APPLICATION_VERIFICATION
  private var presentedCertificates: Bool

  /// A connection before its handshake. `serverName` is sent in the clear if it is not nil.
  init(_ context: TLSContext, policy: ChainPolicy, serverName: String? = nil) throws(TLSError) {
    guard let ssl = SSL_new(context.pointer) else { throw .configuration(takeOpenSSLError()) }
    self.ssl = ssl
    self.context = context
    self.policy = policy
    presentedCertificates = context.isServer
    guard let bio = makeBufferBIO() else { throw .configuration(takeOpenSSLError()) }
    BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
    SSL_set_bio(ssl, bio, bio)
    SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
    if context.isServer {
      SSL_set_accept_state(ssl)
    } else {
      SSL_set_connect_state(ssl)
      // Called when the server asks for a certificate.
      SSL_set_cert_cb(ssl, noteCertificateRequest, Unmanaged.passUnretained(self).toOpaque())
    }
    if case .web(let host) = policy, SSL_set1_host(ssl, host) != 1 { throw .configuration(takeOpenSSLError()) }
    if let serverName, simplex_SSL_set_server_name(ssl, serverName) != 1 {
      throw .configuration(takeOpenSSLError())
    }
  }

  deinit { SSL_free(ssl) }

  /// Adds ciphertext from the peer.
  func receive(_ ciphertext: consuming ByteBuffer) {
    if inbound == nil { inbound = ciphertext } else { inbound?.writeBuffer(&ciphertext) }
  }

  /// Continues the handshake; returns the result when it is finished, nil while more input is needed.
  func handshake() throws(TLSError) -> TLSSession? {
    ERR_clear_error()
    let result = SSL_do_handshake(ssl)
    if result == 1 { return session() }
    let code = SSL_get_error(ssl, result)
    if code == SSL_ERROR_WANT_READ { return nil }
    throw failure(code)
  }

  /// The result of reading.
  package enum Reading {
    /// This many bytes of plaintext.
    case bytes(Int)
    /// More ciphertext is needed.
    case needsInput
    /// The peer sends nothing more.
    case ended
  }

  /// Whether reading may return something without more ciphertext.
  package var mayHaveInput: Bool { inbound != nil || SSL_pending(ssl) > 0 }

  /// Whether a part of a record has arrived. A header alone does not count as pending, but has allocated a buffer.
  package var hasPartialRecord: Bool {
    inbound != nil || SSL_has_pending(ssl) == 1 || SSL_rstate_string(ssl).map { String(cString: $0) } == "RB"
  }

  /// Reads plaintext of at most one record into `space`.
  package func read(into space: UnsafeMutableRawBufferPointer) throws(TLSError) -> Reading {
    ERR_clear_error()
    let result = SSL_read(ssl, space.baseAddress, Int32(clamping: space.count))
    if result > 0 { return .bytes(Int(result)) }
    switch SSL_get_error(ssl, result) {
    case SSL_ERROR_WANT_READ: return .needsInput
    case SSL_ERROR_ZERO_RETURN: return .ended
    case let code: throw failure(code)
    }
  }

  /// Reads everything that has arrived; `body` gets parts of at most 4,096 bytes. Returns whether the peer sends
  /// nothing more.
  package func readAll(_ body: (ArraySlice<UInt8>) -> Void) throws(TLSError) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while mayHaveInput {
      var reading = Reading.needsInput
      var failure: TLSError?
      buffer.withUnsafeMutableBytes { space in
        do throws(TLSError) { reading = try read(into: space) } catch { failure = error }
      }
      if let failure { throw failure }
      switch reading {
      case .bytes(let count): body(buffer[..<count])
      case .needsInput: return false
      case .ended: return true
      }
    }
    return false
  }

  /// Encrypts bytes for the peer; the handshake has to be finished.
  func write(_ plaintext: RawSpan) throws(TLSError) {
    guard plaintext.byteCount > 0 else { return }
    // Several records would have the buffer grow, and be copied.
    if outbound == nil, plaintext.byteCount > Self.recordSize {
      outbound = ByteBufferAllocator().buffer(
        capacity: plaintext.byteCount + (plaintext.byteCount / Self.recordSize + 1) * Self.recordOverhead)
    }
    ERR_clear_error()
    let result = plaintext.withUnsafeBytes { SSL_write(ssl, $0.baseAddress, Int32(clamping: $0.count)) }
    // Output is never full, so everything was written, unless the connection is broken.
    guard result > 0, Int(result) == plaintext.byteCount else { throw failure(SSL_get_error(ssl, result)) }
  }

  /// Tells the peer that nothing more is sent.
  func shutdown() {
    ERR_clear_error()
    SSL_shutdown(ssl)
    ERR_clear_error()
  }

  private func session() -> TLSSession {
    var identifier = [UInt8](repeating: 0, count: 64)
    let length =
      context.isServer
      ? SSL_get_peer_finished(ssl, &identifier, identifier.count) : SSL_get_finished(ssl, &identifier, identifier.count)
    identifier.removeSubrange(min(length, identifier.count)...)

    var name: UnsafePointer<UInt8>?
    var nameLength: UInt32 = 0
    SSL_get0_alpn_selected(ssl, &name, &nameLength)
    let applicationProtocol = name.map {
      String(decoding: UnsafeBufferPointer(start: $0, count: Int(nameLength)), as: UTF8.self)
    }
    return TLSSession(
      identifier: identifier, applicationProtocol: applicationProtocol, peerCertificates: peerCertificates(),
      presentedCertificates: presentedCertificates, usedWebCredential: context.presentsWebCredential(on: ssl))
  }

  private func peerCertificates() -> CertificateChain {
    var certificates = certificateList(SSL_get_peer_cert_chain(ssl)).map { Certificate(object: $0) }
    // On a server the library keeps the leaf separately from the others.
    if context.isServer, let leaf = SSL_get0_peer_certificate(ssl) {
      certificates.insert(Certificate(object: leaf), at: 0)
    }
    return CertificateChain(certificates)
  }

  private func failure(_ code: Int32) -> TLSError {
    if let refusal { return .certificate(refusal) }
    let error = ERR_peek_last_error()
    guard code == SSL_ERROR_SSL else { return .protocolViolation(takeOpenSSLError()) }
    // A fatal alert of the peer is reported as its number plus this offset.
    let alert = ERR_GET_REASON(error) - SSL_AD_REASON_OFFSET
    if let alert = UInt8(exactly: alert), ERR_GET_LIB(error) == ERR_LIB_SSL {
      ERR_clear_error()
      return .alert(alert)
    }
    return .protocolViolation(takeOpenSSLError())
  }

  fileprivate func verify(_ store: OpaquePointer) -> Bool {
    if case .web = policy { return verifyWeb(store) }
    let chain = certificateList(X509_STORE_CTX_get0_untrusted(store))
    do throws(CertificateError) {
      try verifyChain(chain, policy, at: time(nil))
      if let accepts = context.acceptsAuthority {
        guard let authority = chain.last, accepts(sha256(certificateDER(authority))) else { throw .identityMismatch }
      }
      return true
    } catch {
      refusal = error
      return false
    }
  }

  /// The library's own verification, with its trusted authorities and the name of the host.
  private func verifyWeb(_ store: OpaquePointer) -> Bool {
    if X509_verify_cert(store) == 1 { return true }
    let code = X509_STORE_CTX_get_error(store)
    refusal = .untrusted(X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "unknown")
    webRefusalCode = code
    return false
  }

  /// The library's reason for the refusal, which selects the alert: `unknown_ca` for a peer of another identity.
  fileprivate var refusalCode: Int32 {
    if case .web = policy { return webRefusalCode }
    return refusal == .identityMismatch ? X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN : X509_V_ERR_APPLICATION_VERIFICATION
  }

  fileprivate func certificateRequested() { presentedCertificates = context.hasCredential }

  func takeInbound(_ space: UnsafeMutableRawBufferPointer) -> Int {
    guard
      let count = inbound?.readWithUnsafeReadableBytes({ bytes in
        let count = min(bytes.count, space.count)
        space.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(count)))
        return count
      })
    else { return 0 }
    // Idle connections should own no buffer.
    if inbound?.readableBytes == 0 { inbound = nil }
    return count
  }

  func addOutbound(_ bytes: UnsafeRawBufferPointer) {
    if outbound == nil { outbound = ByteBuffer() }
    outbound?.writeBytes(bytes)
  }
}

private let noteCertificateRequest: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { _, engine in
  guard let engine else { return 0 }
  Unmanaged<TLSEngine>.fromOpaque(engine).takeUnretainedValue().certificateRequested()
  return 1
}

/// The elements of the library's list of certificates.
func certificateList(_ list: OpaquePointer?) -> [OpaquePointer] {
  guard let list else { return [] }
  return (0..<max(0, OPENSSL_sk_num(list))).compactMap { OPENSSL_sk_value(list, $0).map { OpaquePointer($0) } }
}

/// Called by the library in place of its own verification of a chain.
let verifyPeer: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { store, _ in
  guard let store,
    let ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
    let engine = SSL_get_ex_data(OpaquePointer(ssl), 0)
  else { return 0 }
  let verifier = Unmanaged<TLSEngine>.fromOpaque(engine).takeUnretainedValue()
  let accepted = verifier.verify(store)
  if !accepted { X509_STORE_CTX_set_error(store, verifier.refusalCode) }
  return accepted ? 1 : 0
}
