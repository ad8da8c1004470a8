import SNTRUP761
import SimplexCrypto

/// One side of a connection's post-quantum double ratchet with encrypted headers (pqdr.md), as a value.
///
/// Governs: which key encrypts the next message, and which keys decrypt the messages that may arrive. Does not govern:
/// the keys of skipped messages (``SkippedKeys``, so that a store need not write them with every message), the padded
/// size of messages (passed by the caller) and their transport.
///
/// Invariants: an operation that throws leaves the value unchanged; a key is used for one message only, provided that
/// the caller stores the new value before it sends what was encrypted.
public struct Ratchet: Equatable, Sendable {
  /// The maximum number of messages of one chain that may be missing before a message that arrives: the limit of all
  /// implementations.
  public static let maximumSkipped: UInt32 = 512

  /// The version in use and the highest possible one.
  public internal(set) var versions: RatchetVersions
  /// The data that both sides authenticate with every message: 112 bytes. The security code of a connection is its
  /// hash.
  public internal(set) var associatedData: [UInt8]

  /// Whether headers have the larger size that post-quantum keys need. Once true it stays true, and messages are
  /// limited to a correspondingly smaller size.
  public internal(set) var supportsPQ: Bool
  /// Whether the next ratchet step uses the KEM, if the other side agrees.
  public internal(set) var enablesPQ: Bool
  /// Whether the keys of the sending chain depend on a secret of the KEM.
  public internal(set) var sendsPQ = false
  /// Whether the keys of the receiving chain depend on a secret of the KEM.
  public internal(set) var receivesPQ = false

  /// Messages sent in the current chain.
  public internal(set) var sentCount: UInt32 = 0
  /// Messages received or skipped in the current chain.
  public internal(set) var receivedCount: UInt32 = 0
  /// Messages sent in the previous chain.
  var previousSentCount: UInt32 = 0

  /// Whether messages can be encrypted: the side that made the invitation has to receive one first.
  public var canSend: Bool { sending != nil }

  var rootKey: SecretBytes
  /// The private key of the sending chain; its public key is in the headers.
  var ownKey: X448.PrivateKey
  /// The keys of the messages to send; nil before the inviting side received its first message.
  var sending: Chain?
  /// The keys of the messages to receive; nil before the first message was received.
  var receiving: Chain?
  /// The header key of the next sending chain.
  var nextSendingHeaderKey: SecretBytes
  var nextReceivingHeaderKey: SecretBytes
  /// The KEM as announced in the headers sent; nil without post-quantum encryption.
  var kem: KEMState?
}

extension Ratchet {
  /// Starts the ratchet of the joining side, which can send at once.
  /// - Parameters:
  ///   - keys: own keys, whose public half the other side receives with the first message.
  ///   - ratchetKey: a fresh key, the first one of this side's ratchet.
  /// - Throws: `unexpectedKEM`, or `crypto` for an unusable key of the peer.
  public init(
    joining invitation: E2EParameters, keys: E2EPrivateKeys, ratchetKey: X448.PrivateKey, versions: RatchetVersions
  ) throws(RatchetError) {
    let agreement = try X3DH(joining: invitation, with: keys)
    let step = try KeyDerivation.root(
      agreement.keys.rootKey, own: ratchetKey, peer: invitation.key2, kemSecret: agreement.kemSecret)
    self.versions = versions
    associatedData = agreement.associatedData
    supportsPQ = agreement.kem != nil
    enablesPQ = agreement.kem != nil
    sendsPQ = agreement.kemSecret != nil
    rootKey = step.rootKey
    ownKey = ratchetKey
    sending = Chain(chainKey: step.chainKey, headerKey: agreement.keys.headerKey)
    nextSendingHeaderKey = step.nextHeaderKey
    nextReceivingHeaderKey = agreement.keys.nextHeaderKey
    kem = agreement.kem
  }

  /// Starts the ratchet of the inviting side with the reply it received: it has to receive before it sends.
  /// - Parameters:
  ///   - keys: the keys that were created for the invitation.
  ///   - wantsPQ: whether post-quantum encryption may be used.
  /// - Throws: `unexpectedKEM`, or `crypto` for an unusable key of the peer.
  public init(
    accepting reply: E2EParameters, keys: E2EPrivateKeys, versions: RatchetVersions, wantsPQ: Bool
  ) throws(RatchetError) {
    let agreement = try X3DH(accepting: reply, with: keys)
    self.versions = versions
    associatedData = agreement.associatedData
    supportsPQ = wantsPQ
    enablesPQ = wantsPQ
    rootKey = agreement.keys.rootKey
    ownKey = keys.key2
    nextSendingHeaderKey = agreement.keys.nextHeaderKey
    nextReceivingHeaderKey = agreement.keys.headerKey
    kem = agreement.kem
  }
}

/// The keys of one direction between two ratchet steps.
struct Chain: Equatable, Sendable {
  var chainKey: SecretBytes
  let headerKey: SecretBytes
}

/// The side's own KEM key, and the secret it encapsulated to the peer's key, as sent.
struct KEMState: Equatable, Sendable {
  let secretKey: KEMSecretKey
  var ciphertext: KEMCiphertext?

  var parameters: KEMParameters {
    ciphertext.map { .accepted($0, secretKey.publicKey) } ?? .proposed(secretKey.publicKey)
  }
}
