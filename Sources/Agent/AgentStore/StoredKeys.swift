import SMPProtocol
import SQLiteKit
import SimplexCrypto
import WireCodec

// Private keys are stored with their public keys, which take a scalar multiplication to compute.

extension PrivateKey {
  /// The private and the public key.
  var storedPair: SecretBytes {
    let publicKey = publicKey.rawBytes
    return SecretBytes(count: secret.count + publicKey.count) { pair in
      pair.withUnsafeMutableBytes { pair in
        secret.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: pair[..<$0.count]).copyMemory(from: $0) }
        publicKey.withUnsafeBytes {
          UnsafeMutableRawBufferPointer(rebasing: pair[secret.count...]).copyMemory(from: $0)
        }
      }
    }
  }

  init?(storedPair pair: RawSpan) {
    let size = Algorithm.identifier.privateKeySize
    guard pair.byteCount == size + Algorithm.identifier.publicKeySize,
      let publicKey = try? SimplexCrypto.PublicKey<Algorithm>(rawBytes: pair.extracting(droppingFirst: size)),
      let key = try? PrivateKey(secret: SecretBytes(copying: pair.extracting(first: size)), publicKey: publicKey)
    else { return nil }
    self = key
  }
}

extension AuthorizationPrivateKey {
  /// A byte for the algorithm, and the pair.
  var stored: SecretBytes {
    let (tag, pair): (UInt8, SecretBytes) =
      switch self {
      case .ed25519(let key): (1, key.storedPair)
      case .ed448(let key): (2, key.storedPair)
      case .x25519(let key): (3, key.storedPair)
      }
    return SecretBytes(count: pair.count + 1) { bytes in
      bytes.withUnsafeMutableBytes { bytes in
        bytes[0] = tag
        pair.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: bytes[1...]).copyMemory(from: $0) }
      }
    }
  }

  init?(stored bytes: SecretBytes) {
    guard bytes.count > 1 else { return nil }
    let pair = bytes.bytes.extracting(droppingFirst: 1)
    switch bytes.withUnsafeBytes({ $0[0] }) {
    case 1:
      guard let key = Ed25519.PrivateKey(storedPair: pair) else { return nil }
      self = .ed25519(key)
    case 2:
      guard let key = Ed448.PrivateKey(storedPair: pair) else { return nil }
      self = .ed448(key)
    case 3:
      guard let key = X25519.PrivateKey(storedPair: pair) else { return nil }
      self = .x25519(key)
    default: return nil
    }
  }
}

extension SQLiteRow {
  func authorizationKey(_ column: Int) throws(SQLiteError) -> AuthorizationPrivateKey {
    guard let key = AuthorizationPrivateKey(stored: try secret(column)) else { throw SQLiteError(.damaged, "a key") }
    return key
  }

  func x25519Key(_ column: Int) throws(SQLiteError) -> X25519.PrivateKey {
    let pair = try secret(column)
    guard let key = X25519.PrivateKey(storedPair: pair.bytes) else { throw SQLiteError(.damaged, "a key") }
    return key
  }

  func boxKey(_ column: Int) throws(SQLiteError) -> BoxKey {
    guard let key = try? BoxKey(try secret(column)) else { throw SQLiteError(.damaged, "a key") }
    return key
  }

  func value<Value: RawRepresentable>(_ column: Int, _ type: Value.Type = Value.self) throws(SQLiteError) -> Value
  where Value.RawValue == Int64 {
    guard let value = Value(rawValue: try integer(column)) else {
      throw SQLiteError(.damaged, "column \(column) has an unknown value")
    }
    return value
  }

  func optionalValue<Value: RawRepresentable>(
    _ column: Int, _ type: Value.Type = Value.self
  ) throws(SQLiteError) -> Value? where Value.RawValue == Int64 {
    isNull(column) ? nil : try value(column)
  }

  func version(_ column: Int) throws(SQLiteError) -> UInt16 { UInt16(clamping: try integer(column)) }

  func queueMode(_ column: Int) throws(SQLiteError) -> QueueMode? {
    switch try optionalInteger(column) {
    case nil: nil
    case 0: .messaging
    default: .contact
    }
  }
}

extension QueueMode {
  var stored: Int64 { self == .messaging ? 0 : 1 }
}
