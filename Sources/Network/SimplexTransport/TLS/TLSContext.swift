import COpenSSL

/// The part of TLS that all connections of one configuration share.
///
/// Unchecked: the library allows concurrent use of a context that is no longer changed.
final class TLSContext: @unchecked Sendable {
  let pointer: OpaquePointer
  let isServer: Bool
  let hasCredential: Bool
  /// Decides about a client's authority, if clients have to present one.
  let acceptsAuthority: (@Sendable (_ fingerprint: [UInt8]) -> Bool)?
  private let applicationProtocols: [String]
  /// Presented to clients that name the server.
  private let webContext: TLSContext?

  /// The context of a server.
  convenience init(_ configuration: TLSServerConfiguration) throws(TLSError) {
    var web: TLSContext?
    if let credential = configuration.webCredential {
      web = try TLSContext(
        isServer: true, algorithms: .web, credential: credential, protocols: configuration.applicationProtocols)
    }
    try self.init(
      isServer: true, algorithms: web == nil ? .relay : .web, credential: configuration.credential,
      protocols: configuration.applicationProtocols, webContext: web,
      acceptsAuthority: configuration.acceptsAuthority)
    if configuration.acceptsAuthority != nil {
      SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    } else if configuration.asksClientCertificate {
      SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
    }
  }

  /// The context of a client.
  convenience init(_ configuration: TLSClientConfiguration) throws(TLSError) {
    try self.init(
      isServer: false, algorithms: configuration.webTrust == nil ? .relay : .web,
      credential: configuration.credential, protocols: configuration.applicationProtocols)
    SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
    if let trust = configuration.webTrust { try self.trust(trust) }
  }

  /// Lets the client connect to web servers.
  private func trust(_ trust: TLSClientConfiguration.WebTrust) throws(TLSError) {
    guard simplex_SSL_CTX_from_TLS12(pointer) == 1,
      SSL_CTX_set_cipher_list(pointer, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1
    else { throw .configuration(takeOpenSSLError()) }
    switch trust {
    case .system: SSL_CTX_set_default_verify_paths(pointer)
    case .file(let path):
      guard SSL_CTX_load_verify_locations(pointer, path, nil) == 1 else {
        throw .configuration("\(path) has no certificates: \(takeOpenSSLError())")
      }
    }
    ERR_clear_error()
  }

  fileprivate init(
    isServer: Bool, algorithms: Algorithms, credential: TLSCredential?, protocols: [String],
    webContext: TLSContext? = nil, acceptsAuthority: (@Sendable (_ fingerprint: [UInt8]) -> Bool)? = nil
  ) throws(TLSError) {
    guard let pointer = SSL_CTX_new(isServer ? TLS_server_method() : TLS_client_method()) else {
      throw .configuration(takeOpenSSLError())
    }
    self.pointer = pointer
    self.isServer = isServer
    self.hasCredential = credential != nil
    self.applicationProtocols = protocols
    self.webContext = webContext
    self.acceptsAuthority = acceptsAuthority
    simplex_SSL_CTX_set_stateless(pointer)
    guard simplex_SSL_CTX_only_TLS13(pointer) == 1,
      SSL_CTX_set_ciphersuites(pointer, algorithms.ciphers) == 1,
      simplex_SSL_CTX_set_groups(pointer, algorithms.groups) == 1,
      simplex_SSL_CTX_set_sigalgs(pointer, algorithms.signatures) == 1
    else { throw .configuration(takeOpenSSLError()) }
    // The identity is checked by our own rules, which need the chain exactly as it was sent.
    SSL_CTX_set_cert_verify_callback(pointer, verifyPeer, nil)
    if let credential { try present(credential) }
    try negotiate(protocols)
    if webContext != nil {
      simplex_SSL_CTX_set_server_name_callback(pointer, selectCredential, Unmanaged.passUnretained(self).toOpaque())
    }
  }

  deinit { SSL_CTX_free(pointer) }

  private func present(_ credential: TLSCredential) throws(TLSError) {
    for (index, certificate) in credential.chain.certificates.enumerated() {
      let added: Bool
      do {
        added = try withX509(certificate.der) {
          index == 0
            ? SSL_CTX_use_certificate(pointer, $0) == 1 : simplex_SSL_CTX_add_chain_certificate(pointer, $0) == 1
        }
      } catch { throw .certificate(error) }
      guard added else { throw .configuration(takeOpenSSLError()) }
    }
    guard SSL_CTX_use_PrivateKey(pointer, credential.key.pointer) == 1 else {
      throw .configuration(takeOpenSSLError())
    }
  }

  private func negotiate(_ protocols: [String]) throws(TLSError) {
    guard !protocols.isEmpty else { return }
    var encoded: [UInt8] = []
    for name in protocols {
      guard let length = UInt8(exactly: name.utf8.count), length > 0 else {
        throw .configuration("the name of an application protocol has 1 to 255 bytes")
      }
      encoded.append(length)
      encoded += name.utf8
    }
    if isServer {
      SSL_CTX_set_alpn_select_cb(pointer, selectProtocol, Unmanaged.passUnretained(self).toOpaque())
    } else {
      // Unlike the rest of the library, this returns 0 for success.
      guard SSL_CTX_set_alpn_protos(pointer, encoded, UInt32(clamping: encoded.count)) == 0 else {
        throw .configuration(takeOpenSSLError())
      }
    }
  }

  /// The first offered protocol that is accepted, as a part of the offered list.
  fileprivate func select(from offered: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
    var rest = offered[...]
    while let length = rest.popFirst() {
      let name = rest.prefix(Int(length))
      if applicationProtocols.contains(where: { $0.utf8.elementsEqual(name) }) {
        return UnsafeBufferPointer(rebasing: name)
      }
      rest = rest.dropFirst(Int(length))
    }
    return nil
  }

  fileprivate func presentWebCredential(on ssl: OpaquePointer) {
    guard let webContext, SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name) != nil else { return }
    SSL_set_SSL_CTX(ssl, webContext.pointer)
    // Browsers would ask their users for a certificate; only services of the relay present one.
    SSL_set_verify(ssl, SSL_VERIFY_NONE, nil)
  }

  /// Whether this connection presents the web credential.
  func presentsWebCredential(on ssl: OpaquePointer) -> Bool {
    webContext.map { SSL_get_SSL_CTX(ssl) == $0.pointer } ?? false
  }
}

extension TLSCredential {
  /// Checks that a server can present the credential to browsers: weak keys and signatures are refused.
  public func checkForBrowsers() throws(TLSError) {
    _ = try TLSContext(isServer: true, algorithms: .web, credential: self, protocols: [])
  }
}

/// Names of algorithms in the form that the library reads.
private struct Algorithms {
  let ciphers: String
  let groups: String
  let signatures: String

  static let relay = Algorithms(
    ciphers: "TLS_CHACHA20_POLY1305_SHA256", groups: "X448:X25519", signatures: "ed448:ed25519")
  static let web = Algorithms(
    ciphers: "TLS_CHACHA20_POLY1305_SHA256:TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256",
    groups: "X25519:X448:P-256:P-521",
    signatures: """
      ed448:ed25519:ecdsa_secp256r1_sha256:ecdsa_secp384r1_sha384:ecdsa_secp521r1_sha512:\
      rsa_pss_rsae_sha512:rsa_pss_rsae_sha384:rsa_pss_rsae_sha256:RSA+SHA512:RSA+SHA384:RSA+SHA256
      """)
}

private let selectProtocol: SSL_CTX_alpn_select_cb_func = { _, output, outputLength, offered, offeredLength, argument in
  guard let argument, let output, let outputLength else { return SSL_TLSEXT_ERR_ALERT_FATAL }
  let context = Unmanaged<TLSContext>.fromOpaque(argument).takeUnretainedValue()
  let offered = UnsafeBufferPointer(start: offered, count: Int(offeredLength))
  guard let selected = context.select(from: offered) else { return SSL_TLSEXT_ERR_ALERT_FATAL }
  output.pointee = selected.baseAddress
  outputLength.pointee = UInt8(truncatingIfNeeded: selected.count)
  return SSL_TLSEXT_ERR_OK
}

private let selectCredential:
  @convention(c) (OpaquePointer?, UnsafeMutablePointer<Int32>?, UnsafeMutableRawPointer?) -> Int32 = {
    ssl, _, argument in
    guard let ssl, let argument else { return SSL_TLSEXT_ERR_NOACK }
    Unmanaged<TLSContext>.fromOpaque(argument).takeUnretainedValue().presentWebCredential(on: ssl)
    return SSL_TLSEXT_ERR_OK
  }
