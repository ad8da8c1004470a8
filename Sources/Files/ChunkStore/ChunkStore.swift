import SMPProtocol
import XFTPProtocol

/// Where a file relay keeps chunks: what is known about them, and their bytes.
///
/// What an operation promises is durable when it returns. Operations of all connections are called concurrently. Those
/// that are not asynchronous use the disk, and block the thread.
public protocol ChunkStore: Sendable {
  /// Stores a new chunk without bytes, with its first recipients. Where chunks that wait for their bytes take too much,
  /// some of them are deleted.
  /// - Throws: ``ChunkStoreError/duplicate`` where one of the identifiers is in use.
  func create(_ chunk: NewChunk) async throws(ChunkStoreError)

  /// Adds recipients to a chunk.
  /// - Throws: ``ChunkStoreError/missing`` where it was deleted; ``ChunkStoreError/duplicate``;
  ///   ``ChunkStoreError/quota`` where it has too many.
  func add(_ recipients: [ChunkRecipient], to chunk: ChunkNumber) async throws(ChunkStoreError)

  /// The chunk of a sender, and the key that authorizes its commands; nil where there is none.
  func chunk(ofSender id: EntityID) async throws(ChunkStoreError) -> (chunk: ChunkRecord, key: AuthorizationKey)?

  /// The chunk of a recipient, and the key that authorizes its commands; nil where there is none.
  func chunk(ofRecipient id: EntityID) async throws(ChunkStoreError) -> (chunk: ChunkRecord, key: AuthorizationKey)?

  /// Begins to store the bytes of a chunk, whose space is reserved until the upload ends.
  /// - Throws: ``ChunkStoreError/quota`` where there is no space.
  func beginUpload(of chunk: ChunkRecord) throws(ChunkStoreError) -> any ChunkUpload

  /// Begins to read the bytes of a chunk; nil where it has none. They can be read to the end even if the chunk is
  /// deleted meanwhile.
  func open(_ chunk: ChunkRecord) throws(ChunkStoreError) -> (any ChunkReader)?

  /// Removes a recipient. No-op where there is none.
  func removeRecipient(_ id: EntityID) async throws(ChunkStoreError)

  /// Deletes a chunk with its recipients and bytes. Returns false where there is none.
  func delete(_ chunk: ChunkNumber) async throws(ChunkStoreError) -> Bool

  /// Blocks a chunk and deletes its bytes. Returns false where there is none.
  func block(_ chunk: ChunkNumber, _ info: BlockingInfo) async throws(ChunkStoreError) -> Bool

  /// Deletes up to `limit` chunks that were created before a time (Unix seconds), and returns their number.
  func deleteChunks(createdBefore time: Int64, limit: Int) async throws(ChunkStoreError) -> Int

  /// Notes a time at which the relay ran, in seconds since 1970; nil to only read the noted one.
  /// - Returns: The time that was noted before; nil where none was, in a new store.
  func noteTime(_ time: Int64?) async throws(ChunkStoreError) -> Int64?

  /// The numbers of chunks and bytes.
  var usage: ChunkUsage { get }

  /// Waits for what was begun, and closes the store.
  func close() async
}

/// The bytes of a chunk while they arrive. For one task.
public protocol ChunkUpload: AnyObject, Sendable {
  /// Appends bytes.
  /// - Throws: ``ChunkStoreError/size`` where there are more than the chunk has.
  func write(_ bytes: [UInt8]) throws(ChunkStoreError)

  /// Makes the bytes durable, which blocks the thread. Errors are those of ``finish()``, which does it otherwise.
  func flush()

  /// Makes the bytes durable and lets recipients read them.
  /// - Throws: ``ChunkStoreError/size`` or ``ChunkStoreError/digest`` where they are not those that were declared;
  ///   ``ChunkStoreError/missing`` where the chunk was deleted meanwhile.
  func finish() async throws(ChunkStoreError)

  /// Discards the bytes and releases their space. No-op after ``finish()``.
  func abort()
}

/// The bytes of a chunk while they are sent. For one task.
public protocol ChunkReader: AnyObject, Sendable {
  /// The next bytes, at most `count`; empty at the end.
  func read(_ count: Int) throws(ChunkStoreError) -> [UInt8]
}

/// Why the store refuses or fails.
public enum ChunkStoreError: Error, Hashable, Sendable {
  /// An identifier is in use.
  case duplicate
  /// The chunk does not exist any more.
  case missing
  /// There is no space within the quota.
  case quota
  /// There are more or fewer bytes than declared.
  case size
  /// The bytes do not have the declared digest.
  case digest
  /// The disk is full.
  case full
  /// The store is closed.
  case closed
  /// Another process uses the store.
  case inUse
  /// Any other failure; the text is for the log.
  case failed(String)
}

extension ChunkStoreError: CustomStringConvertible {
  /// What is wrong, for the operator.
  public var description: String {
    switch self {
    case .duplicate: "an identifier is in use"
    case .missing: "the chunk does not exist"
    case .quota: "the quota is exhausted"
    case .size: "the chunk has another size"
    case .digest: "the chunk has another digest"
    case .full: "no space is left on the disk"
    case .closed: "the store is closed"
    case .inUse: "another process uses it; a server may be running already"
    case .failed(let text): text
    }
  }
}
