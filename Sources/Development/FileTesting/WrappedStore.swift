import ChunkStore
import SMPProtocol

/// A store of chunks that does something before or after some operations of another one, such as to wait or to fail.
package final class WrappedStore: ChunkStore {
  /// What is done at some operations.
  package struct Hooks: Sendable {
    /// Called after a chunk was created, and before its creator is told.
    package var created: @Sendable (NewChunk) async -> Void = { _ in }
    /// Called before bytes of an upload are stored, with the number of all of it so far, with them.
    package var writing: @Sendable (ChunkRecord, Int) throws(ChunkStoreError) -> Void = { _, _ in }
    /// Called before bytes of a chunk are read, with the number of bytes that are asked for.
    package var reading: @Sendable (ChunkRecord, Int) throws(ChunkStoreError) -> Void = { _, _ in }

    /// Hooks that do nothing.
    package init() {}
  }

  private let store: any ChunkStore
  private let hooks: Hooks

  /// A store with hooks.
  package init(_ store: any ChunkStore, _ change: (inout Hooks) -> Void) {
    self.store = store
    var hooks = Hooks()
    change(&hooks)
    self.hooks = hooks
  }

  package func create(_ chunk: NewChunk) async throws(ChunkStoreError) {
    try await store.create(chunk)
    await hooks.created(chunk)
  }

  package func noteTime(_ time: Int64?) async throws(ChunkStoreError) -> Int64? { try await store.noteTime(time) }

  package func beginUpload(of chunk: ChunkRecord) throws(ChunkStoreError) -> any ChunkUpload {
    WrappedUpload(try store.beginUpload(of: chunk), of: chunk, hooks)
  }

  package func open(_ chunk: ChunkRecord) throws(ChunkStoreError) -> (any ChunkReader)? {
    try store.open(chunk).map { WrappedReader($0, of: chunk, hooks) }
  }

  // MARK: Unchanged

  package func add(_ recipients: [ChunkRecipient], to chunk: ChunkNumber) async throws(ChunkStoreError) {
    try await store.add(recipients, to: chunk)
  }

  package func chunk(
    ofSender id: EntityID
  ) async throws(ChunkStoreError) -> (chunk: ChunkRecord, key: AuthorizationKey)? {
    try await store.chunk(ofSender: id)
  }

  package func chunk(
    ofRecipient id: EntityID
  ) async throws(ChunkStoreError) -> (chunk: ChunkRecord, key: AuthorizationKey)? {
    try await store.chunk(ofRecipient: id)
  }

  package func removeRecipient(_ id: EntityID) async throws(ChunkStoreError) { try await store.removeRecipient(id) }

  package func delete(_ chunk: ChunkNumber) async throws(ChunkStoreError) -> Bool { try await store.delete(chunk) }

  package func block(_ chunk: ChunkNumber, _ info: BlockingInfo) async throws(ChunkStoreError) -> Bool {
    try await store.block(chunk, info)
  }

  package func deleteChunks(createdBefore time: Int64, limit: Int) async throws(ChunkStoreError) -> Int {
    try await store.deleteChunks(createdBefore: time, limit: limit)
  }

  /// That of the other store.
  package var usage: ChunkUsage { store.usage }

  /// Closes the other store.
  package func close() async { await store.close() }
}

/// Unchecked: an upload is used by one task.
private final class WrappedUpload: ChunkUpload, @unchecked Sendable {
  private let upload: any ChunkUpload
  private let chunk: ChunkRecord
  private let hooks: WrappedStore.Hooks
  private var written = 0

  init(_ upload: any ChunkUpload, of chunk: ChunkRecord, _ hooks: WrappedStore.Hooks) {
    self.upload = upload
    self.chunk = chunk
    self.hooks = hooks
  }

  func write(_ bytes: [UInt8]) throws(ChunkStoreError) {
    written += bytes.count
    try hooks.writing(chunk, written)
    try upload.write(bytes)
  }

  func flush() { upload.flush() }

  func finish() async throws(ChunkStoreError) { try await upload.finish() }

  func abort() { upload.abort() }
}

private final class WrappedReader: ChunkReader {
  private let reader: any ChunkReader
  private let chunk: ChunkRecord
  private let hooks: WrappedStore.Hooks

  init(_ reader: any ChunkReader, of chunk: ChunkRecord, _ hooks: WrappedStore.Hooks) {
    self.reader = reader
    self.chunk = chunk
    self.hooks = hooks
  }

  func read(_ count: Int) throws(ChunkStoreError) -> [UInt8] {
    try hooks.reading(chunk, count)
    return try reader.read(count)
  }
}
