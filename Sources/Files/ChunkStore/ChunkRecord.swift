import SMPProtocol
import XFTPProtocol

/// A chunk inside a store.
public struct ChunkNumber: Hashable, Sendable {
  /// The number.
  public let value: Int64

  public init(_ value: Int64) { self.value = value }
}

/// What a store knows about a chunk, apart from its recipients.
public struct ChunkRecord: Hashable, Sendable {
  /// The chunk.
  public var number: ChunkNumber
  /// Its identifier for the sender.
  public var senderID: EntityID
  /// The size in bytes.
  public var size: UInt32
  /// The SHA-256 of the bytes.
  public var digest: [UInt8]
  /// When it was created, in Unix seconds.
  public var createdAt: Int64
  /// Whether the store has its bytes.
  public var isUploaded: Bool
  /// Why it is blocked, if it is.
  public var blocked: BlockingInfo?
}

/// A chunk to store.
public struct NewChunk: Hashable, Sendable {
  /// Its identifier for the sender.
  public var senderID: EntityID
  /// What the sender declared.
  public var info: ChunkInfo
  /// When it was created, in Unix seconds.
  public var createdAt: Int64
  /// The recipients.
  public var recipients: [ChunkRecipient]
  /// The creator of the chunk.
  public var owner = ChunkOwner.unknown

  public init(senderID: EntityID, info: ChunkInfo, createdAt: Int64, recipients: [ChunkRecipient]) {
    self.senderID = senderID
    self.info = info
    self.createdAt = createdAt
    self.recipients = recipients
  }
}

/// A recipient of a chunk.
public struct ChunkRecipient: Hashable, Sendable {
  /// The identifier of the chunk for the recipient.
  public var id: EntityID
  /// The key that authorizes the recipient's commands.
  public var key: AuthorizationKey

  public init(id: EntityID, key: AuthorizationKey) {
    self.id = id
    self.key = key
  }
}

/// What a store holds.
public struct ChunkUsage: Hashable, Sendable {
  /// The number of chunks with bytes.
  public var chunks: Int64 = 0
  /// The sum of their sizes in bytes.
  public var bytes: Int64 = 0
  /// The bytes that are reserved for uploads in progress.
  public var reserved: Int64 = 0

  public init() {}
}
