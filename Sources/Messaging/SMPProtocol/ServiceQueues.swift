import SimplexCrypto
import WireCodec

/// The set of the queues of a service, for comparison between service and relay: their number, and a hash that does not
/// depend on their order. Source: simplex-messaging.md, "Subscribe to multiple queues".
public struct ServiceQueues: Hashable, Sendable {
  /// The number of queues; negative where a client before version 19 does not send it.
  public private(set) var count: Int64
  /// The XOR of the MD5 hashes of the queues' identifiers: the recipients', or the notifiers'.
  public private(set) var hash: SIMD16<UInt8>

  /// No queues.
  public init() { self.init(count: 0, hash: SIMD16()) }

  public init(count: Int64, hash: SIMD16<UInt8>) {
    self.count = count
    self.hash = hash
  }

  /// The value of clients before version 19, which send none.
  public static let unknown = ServiceQueues(count: -1, hash: SIMD16())

  /// Adds a queue that is not in the set.
  public mutating func add(_ queue: EntityID) {
    count &+= 1
    toggle(queue)
  }

  /// Removes a queue that is in the set.
  public mutating func remove(_ queue: EntityID) {
    guard count > 1 else {
      self = ServiceQueues()
      return
    }
    count -= 1
    toggle(queue)
  }

  private mutating func toggle(_ queue: EntityID) {
    guard let digest = MD5.digest(of: queue.bytes) else { return }
    hash ^= SIMD16(digest)
  }

  private static let hashCodec = Codec<SIMD16<UInt8>>(
    decode: { (reader) throws(WireError) in
      guard try reader.byte() == UInt8(MD5.digestSize) else { throw reader.failure(.expected("a hash of 16 bytes")) }
      return SIMD16(try reader.bytes(MD5.digestSize))
    },
    encode: { (hash, writer) throws(WireError) in
      writer.append(UInt8(MD5.digestSize))
      writer.append(hash.indices.map { hash[$0] })
    })

  /// The form in commands, from version 19 on.
  static let codec = Codec<ServiceQueues>.record(
    Field("count", \.count, .integer), Field("hash", \.hash, hashCodec),
    build: { ServiceQueues(count: $0, hash: $1) })

  /// The form in responses: before version 19 without the hash.
  static let responseCodec = Codec<ServiceQueues>.record(
    Field("count", \.count, .integer),
    Field("hash", \.hash, hashCodec.since(SMPVersion.serviceQueues, otherwise: SIMD16())),
    build: { ServiceQueues(count: $0, hash: $1) })
}
