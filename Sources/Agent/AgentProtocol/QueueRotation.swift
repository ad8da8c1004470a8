import SMPProtocol
import WireCodec

/// A queue as its sender names it: the relay and the sender's identifier.
public struct QueueReference: Hashable, Sendable {
  /// Where the queue is.
  public var server: SMPServerAddress
  /// The sender's identifier of it.
  public var senderID: EntityID

  /// A reference.
  public init(server: SMPServerAddress, senderID: EntityID) {
    self.server = server
    self.senderID = senderID
  }

  /// Relay and identifier.
  public static let codec = Codec<QueueReference>.record(
    Field("server", \.server, SMPServerAddress.codec), Field("senderID", \.senderID, EntityID.codec),
    build: { QueueReference(server: $0, senderID: $1) })
}

/// A queue that its receiver offers in addition to, or in place of, another one.
public struct QueueAddition: Hashable, Sendable {
  /// The new queue.
  public var queue: QueueURI
  /// The queue that it replaces.
  public var replaces: QueueReference?

  /// An offer.
  public init(queue: QueueURI, replaces: QueueReference?) {
    self.queue = queue
    self.replaces = replaces
  }

  /// Queue and optional reference.
  public static let codec = Codec<QueueAddition>.record(
    Field("queue", \.queue, QueueURI.codec), Field("replaces", \.replaces, QueueReference.codec.optional),
    build: { QueueAddition(queue: $0, replaces: $1) })
}

/// The sender's answer to an offered queue: the keys to secure it with.
public struct QueueKey: Hashable, Sendable {
  /// The queue, with the sender's key for its end-to-end encryption.
  public var queue: QueueInfoAddress
  /// The key that authorizes the sender's commands.
  public var senderKey: AuthorizationKey

  /// An answer.
  public init(queue: QueueInfoAddress, senderKey: AuthorizationKey) {
    self.queue = queue
    self.senderKey = senderKey
  }

  /// Queue and key.
  public static let codec = Codec<QueueKey>.record(
    Field("queue", \.queue, QueueInfoAddress.codec), Field("senderKey", \.senderKey, AuthorizationKey.codec),
    build: { QueueKey(queue: $0, senderKey: $1) })
}

/// A queue that is ready for use.
public struct QueueUse: Hashable, Sendable {
  /// The queue.
  public var queue: QueueReference
  /// Whether messages go to this queue first.
  public var isPrimary: Bool

  /// A queue that is ready.
  public init(queue: QueueReference, isPrimary: Bool) {
    self.queue = queue
    self.isPrimary = isPrimary
  }

  /// Reference and Boolean.
  public static let codec = Codec<QueueUse>.record(
    Field("queue", \.queue, QueueReference.codec), Field("isPrimary", \.isPrimary, .bool),
    build: { QueueUse(queue: $0, isPrimary: $1) })
}
