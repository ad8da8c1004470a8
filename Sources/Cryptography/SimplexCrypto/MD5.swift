import COpenSSL

/// The hash by which services and relays compare sets of identifiers (`SMPProtocol.ServiceQueues`). It protects
/// nothing: a party that can choose identifiers can create sets with equal hashes.
public enum MD5 {
  /// The size of a digest in bytes.
  public static let digestSize = 16

  // Immutable. Nil where the library is built or configured without it.
  nonisolated(unsafe) private static let implementation = EVP_MD_fetch(nil, "MD5", "-fips")

  /// The digest of `bytes`; nil where the system forbids this hash.
  public static func digest(of bytes: [UInt8]) -> [UInt8]? {
    guard let implementation else { return nil }
    var isDone = false
    let digest = [UInt8](filling: digestSize) { digest in
      isDone = EVP_Digest(bytes, bytes.count, digest.octets, nil, implementation, nil) == 1
    }
    return isDone ? digest : nil
  }
}
