import SimplexCrypto
import WireCodec

/// The keys of the messages of a connection that were skipped because later ones arrived first.
///
/// There are at most ``maximumKeys`` keys of at most ``maximumChains`` chains: beyond that the oldest ones are removed,
/// and their messages cannot be decrypted any more.
public struct SkippedKeys: Equatable, Sendable {
  /// The maximum number of keys of a connection, four times ``Ratchet/maximumSkipped``.
  public static let maximumKeys = 2_048
  /// The maximum number of chains with keys: as many header keys are tried at most to decrypt a message.
  public static let maximumChains = 64

  /// The keys of one chain.
  public struct Chain: Equatable, Sendable {
    /// The key of the chain's headers, 32 bytes; identifies the chain.
    public let headerKey: SecretBytes
    /// The key of each message by its number.
    public internal(set) var keys: [UInt32: MessageKey]

    public init(headerKey: SecretBytes, keys: [UInt32: MessageKey]) {
      self.headerKey = headerKey
      self.keys = keys
    }
  }

  /// The change that decrypting one message made, for stores that keep each key separately.
  public enum Change: Equatable, Sendable {
    /// No change.
    case none
    /// Messages were skipped: these keys were added.
    case added([Chain])
    /// A skipped message was received.
    case removed(headerKey: SecretBytes, number: UInt32)
  }

  /// The chains that have keys, oldest first.
  public private(set) var chains: [Chain] = []

  /// An empty set.
  public init() {}

  /// Stored keys. Chains without keys are left out.
  public init(_ chains: [Chain]) { apply(.added(chains)) }

  /// The number of keys.
  public var count: Int { chains.reduce(0) { $0 + $1.keys.count } }

  /// Applies a change, as a store does.
  public mutating func apply(_ change: Change) {
    switch change {
    case .none: break
    case .added(let added):
      for chain in added where !chain.keys.isEmpty { add(chain) }
      removeExcess()
    case .removed(let headerKey, let number):
      guard let index = chains.firstIndex(where: { $0.headerKey == headerKey }) else { return }
      chains[index].keys[number] = nil
      if chains[index].keys.isEmpty { chains.remove(at: index) }
    }
  }

  private mutating func add(_ chain: Chain) {
    if let index = chains.firstIndex(where: { $0.headerKey == chain.headerKey }) {
      chains[index].keys.merge(chain.keys) { old, _ in old }
    } else {
      chains.append(chain)
    }
  }

  /// Removes the oldest chains, and of the last of them only the first keys, until the limits are kept.
  private mutating func removeExcess() {
    if chains.count > Self.maximumChains { chains.removeFirst(chains.count - Self.maximumChains) }
    var excess = count - Self.maximumKeys
    while excess > 0 {
      if chains[0].keys.count <= excess {
        excess -= chains.removeFirst().keys.count
      } else {
        for number in chains[0].keys.keys.sorted().prefix(excess) { chains[0].keys[number] = nil }
        excess = 0
      }
    }
  }

  subscript(headerKey: SecretBytes, number: UInt32) -> MessageKey? {
    chains.first { $0.headerKey == headerKey }?.keys[number]
  }
}
