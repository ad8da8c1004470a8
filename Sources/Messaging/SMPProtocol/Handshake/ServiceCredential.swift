import SimplexCrypto

/// The credential of a service for relays: the certificate that it presents in TLS, and its key. Source:
/// simplex-messaging.md, "Transport handshake".
public struct ServiceCredential: Sendable {
  /// Its role.
  public var role: ServiceRole
  /// The certificates as DER, the leaf first; the same as in TLS.
  public var certificates: [[UInt8]]
  /// The SHA-256 fingerprint of the service's long-term certificate.
  public var certificateHash: [UInt8]
  /// Signs bytes with the key of the first certificate; nil where that fails.
  public var sign: @Sendable ([UInt8]) -> [UInt8]?

  public init(
    role: ServiceRole, certificates: [[UInt8]], certificateHash: [UInt8],
    sign: @escaping @Sendable ([UInt8]) -> [UInt8]?
  ) {
    self.role = role
    self.certificates = certificates
    self.certificateHash = certificateHash
    self.sign = sign
  }

  /// The part of a client's hello for a new key, and the signer of commands with that key.
  func hello(random: inout some RandomSource) throws(ProtocolTransportError) -> (ServiceHello, ServiceSigner) {
    let key = Ed25519.PrivateKey(using: &random)
    let sign = sign
    let signed = try? SignedKey(signing: .ed25519(key.publicKey)) { (bytes) throws(ProtocolTransportError) in
      guard let signature = sign(bytes) else { throw ProtocolTransportError.handshake(handshakeErr: .BAD_AUTH) }
      return signature
    }
    guard let signed else { throw .handshake(handshakeErr: .BAD_AUTH) }
    return (
      ServiceHello(role: role, sessionKey: CertifiedKey(certificates: certificates, key: signed)),
      ServiceSigner(certificateHash: certificateHash, sessionKey: key)
    )
  }
}

extension EstablishedSession {
  /// Whether the relay's response to the hello of a service has to be read, with ``registered(by:)``, before commands
  /// can be sent.
  public var awaitsRegistration: Bool { serviceSigner != nil && serviceID == nil }

  /// Reads the block with which a relay answers the hello of a service.
  /// - Throws: the relay's error where it refuses the service.
  public mutating func registered(by block: [UInt8]) throws(ProtocolTransportError) {
    let content: Range<Int>
    do { content = try Padding.messageRange(in: block.span.bytes) } catch { throw .badBlock }
    let response: ServiceResponse
    do { response = try ServiceResponse.codec.decodeAll(block.span.bytes.extracting(content)) } catch {
      throw .handshake(handshakeErr: .PARSE)
    }
    switch response {
    case .registered(let id): serviceID = id
    case .refused(let error): throw error
    }
  }
}

extension ServiceRole {
  /// The first version in which clients declare this role.
  var since: UInt16 { self == .messaging ? SMPVersion.serviceQueues : SMPVersion.services }
}
