import COpenSSL

/// The hash functions that the protocols use.
public enum HashFunction: Sendable, CaseIterable {
  case sha256, sha512, sha3_256, sha3_384

  /// The size of a digest in bytes.
  public var digestSize: Int {
    switch self {
    case .sha256, .sha3_256: 32
    case .sha3_384: 48
    case .sha512: 64
    }
  }

  /// Hashes `bytes`.
  public func digest(of bytes: RawSpan) -> [UInt8] {
    [UInt8](filling: digestSize) { digest in
      bytes.withUnsafeBytes { self.digest(of: $0, into: digest) }
    }
  }

  /// Hashes `bytes` into memory of the digest's size, for digests that are secret.
  package func digest(of bytes: UnsafeRawBufferPointer, into digest: UnsafeMutableRawBufferPointer) {
    precondition(digest.count == digestSize)
    required(EVP_Digest(bytes.baseAddress, bytes.count, digest.octets, nil, implementation, nil) == 1)
  }

  // Looking up an implementation takes OpenSSL as long as hashing two short messages, so it is done once. They are
  // immutable.
  nonisolated(unsafe) private static let implementations =
    allCases.map { required(EVP_MD_fetch(nil, $0.name, nil)) }

  fileprivate var implementation: OpaquePointer {
    switch self {
    case .sha256: Self.implementations[0]
    case .sha512: Self.implementations[1]
    case .sha3_256: Self.implementations[2]
    case .sha3_384: Self.implementations[3]
    }
  }

  private var name: String {
    switch self {
    case .sha256: "SHA2-256"
    case .sha512: "SHA2-512"
    case .sha3_256: "SHA3-256"
    case .sha3_384: "SHA3-384"
    }
  }
}

/// A hash over parts that arrive one after the other, such as those of a file.
public struct IncrementalHash: ~Copyable {
  private let function: HashFunction
  private let context: OpaquePointer

  /// A hash of no parts yet.
  public init(_ function: HashFunction) {
    self.function = function
    context = required(EVP_MD_CTX_new())
    required(EVP_DigestInit_ex(context, function.implementation, nil) == 1)
  }

  deinit {
    EVP_MD_CTX_free(context)
  }

  /// Appends a part.
  public mutating func update(_ bytes: RawSpan) {
    bytes.withUnsafeBytes { required(EVP_DigestUpdate(context, $0.baseAddress, $0.count) == 1) }
  }

  /// The digest of all parts.
  public consuming func finish() -> [UInt8] {
    [UInt8](filling: function.digestSize) { writeDigest(into: $0) }
  }

  /// Writes the digest of all parts into `output`, which has its size.
  consuming func finish(into output: UnsafeMutableRawBufferPointer) {
    writeDigest(into: output)
  }

  private func writeDigest(into output: UnsafeMutableRawBufferPointer) {
    required(EVP_DigestFinal_ex(context, output.octets, nil) == 1)
  }
}
