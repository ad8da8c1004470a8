import FileAccess
import SMPProtocol
import SQLiteKit
import Synchronization
import WireCodec
import XFTPProtocol

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Chunks in files, with the rest in one SQLite file: the store of a relay that runs on one machine.
///
/// An upload is written to a file with a temporary name. When all bytes are flushed, the file gets the name of the
/// chunk; when that is durable, the database says that the chunk is there. So a crash leaves a file whose chunk has no
/// bytes according to the database, and never the reverse. A deletion goes the other way round, and the database notes
/// which files it released, until they are removed. So a file that the database knows nothing of was left neither by a
/// crash nor by a deletion, but by another database, such as a later state of this one: the next start moves it into
/// ``asideFolder``.
public final class DiskChunkStore: ChunkStore {
  /// The database, until the store is closed.
  private let database: SharedDatabase
  private let counted: Mutex<ChunkUsage>
  /// One thread for the database. Its transactions wait for the disk, so each contains all operations that arrived
  /// during the one before.
  private let commits: GroupCommit<Request>
  let folder: String
  private let quota: Int64?
  /// The released files that were removed and are still noted.
  private let forgettable = Mutex<[EntityID]>([])

  /// A reference that commits and the store share.
  private final class SharedDatabase: Sendable {
    let state: Mutex<ChunkDatabase?>
    /// The bytes that the recipients of chunks with bytes take in the database, about.
    let recipientBytes: Atomic<Int64>

    init(_ database: consuming sending ChunkDatabase) {
      recipientBytes = Atomic(database.filledRecipientBytes)
      state = Mutex(database)
    }
  }

  /// An operation, which returns what answers it when its transaction has ended; with the failure of that, if any.
  private struct Request: Sendable {
    /// Whether it changes nothing.
    let isRead: Bool
    let run: @Sendable (ChunkDatabase) -> @Sendable (ChunkStoreError?) -> Void
    let fail: @Sendable (ChunkStoreError) -> Void
  }

  /// Opens or creates the store.
  /// - Parameters:
  ///   - folder: for the bytes of chunks; created if it does not exist.
  ///   - quota: the bytes that all chunks may have together; nil for any number.
  ///   - unfilledLimit: the bytes that chunks without bytes may take in the database; nil for
  ///     ``unfilledLimit(quota:)``.
  /// - Throws: `failed` also where the folder has chunks and there is no database.
  public init(
    databaseFile: String, folder: String, quota: Int64?, unfilledLimit: Int64? = nil
  ) throws(ChunkStoreError) {
    do throws(FileError) { try Folder.create(folder) } catch { throw .failed("\(error)") }
    // Without its database, all chunks would look like what a crash left.
    guard access(databaseFile, F_OK) == 0 || !(Folder.names(in: folder) ?? []).contains(where: Self.isChunkName) else {
      throw .failed("\(folder) has files of a store whose database is not at \(databaseFile)")
    }
    self.folder = folder
    self.quota = quota
    do throws(SQLiteError) {
      let opened = try ChunkDatabase(
        path: databaseFile, folder: folder, unfilledLimit: unfilledLimit ?? Self.unfilledLimit(quota: quota))
      counted = Mutex(try opened.usage())
      let shared = SharedDatabase(opened)
      database = shared
      commits = GroupCommit(label: "ChunkStore") { requests in Self.commit(requests, to: shared) }
    } catch {
      throw ChunkStoreError(error)
    }
  }

  /// What is stored; in memory.
  public var usage: ChunkUsage { counted.withLock { $0 } }

  // MARK: The database

  /// Runs an operation on the database's thread; what it did is durable when this returns.
  func perform<Value: Sendable>(
    isRead: Bool = false, _ operation: @escaping @Sendable (ChunkDatabase) throws(SQLiteError) -> Value
  ) async throws(ChunkStoreError) -> Value {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<Value, ChunkStoreError>, Never>) in
      let request = Request(isRead: isRead) { database in
        let result: Result<Value, ChunkStoreError>
        do throws(SQLiteError) { result = .success(try operation(database)) } catch {
          result = .failure(ChunkStoreError(error))
        }
        // Without the transaction nothing of it is stored, unless it has failed anyway, for a reason of its own.
        return { failure in
          if let failure, case .success = result { return continuation.resume(returning: .failure(failure)) }
          continuation.resume(returning: result)
        }
      } fail: {
        continuation.resume(returning: .failure($0))
      }
      if !commits.submit(request) { request.fail(.closed) }
    }
    return try result.get()
  }

  private static func commit(_ requests: [Request], to shared: SharedDatabase) {
    let answers = shared.state.withLock { database -> [@Sendable () -> Void] in
      guard let database else { return requests.map { request in { request.fail(.closed) } } }
      defer { shared.recipientBytes.store(database.filledRecipientBytes, ordering: .relaxed) }
      let (answers, failure) = commit(requests, to: database)
      guard failure != nil, requests.count > 1 else { return answers }
      // One that failed, such as a new chunk on a full disk, must not fail the others, of which downloads only read.
      // After the first that fails by itself only those that read are tried, because each failure counts the rows.
      var hasFailed = false
      return zip(requests, answers).flatMap { request, answer -> [@Sendable () -> Void] in
        guard request.isRead || !hasFailed else { return [answer] }
        let (alone, failure) = commit([request], to: database)
        hasFailed = hasFailed || failure != nil
        return alone
      }
    }
    for answer in answers { answer() }
  }

  /// Runs requests in one transaction; with the failure of that, if any, nothing of them is stored.
  private static func commit(
    _ requests: [Request], to database: ChunkDatabase
  ) -> (answers: [@Sendable () -> Void], failure: ChunkStoreError?) {
    var answers: [@Sendable (ChunkStoreError?) -> Void] = []
    var failure: ChunkStoreError?
    do throws(SQLiteError) {
      try database.commit { database in answers = requests.map { $0.run(database) } }
    } catch {
      failure = ChunkStoreError(error)
    }
    // The transaction may not even have begun.
    guard !answers.isEmpty else {
      return (requests.map { request in { [failure] in request.fail(failure ?? .closed) } }, failure)
    }
    return (answers.map { answer in { [failure] in answer(failure) } }, failure)
  }

  /// Stores a new chunk in one transaction, in which others without bytes make room for it.
  public func create(_ chunk: NewChunk) async throws(ChunkStoreError) {
    let removed = try await perform { (database) throws(SQLiteError) in try database.insert(chunk) }
    release(removed)
  }

  /// The bytes that chunks without bytes may take in the database, so that a client that only creates chunks cannot
  /// fill the disk, whatever the quota is. A sixteenth of the quota, but between 16 and 256 MB: 26,000 chunks in any
  /// case, with the usual number of recipients. They come on top of the quota.
  ///
  /// There is no age at which they are safe. Refusing new ones while none is old enough would let a stranger keep
  /// everybody else out; see ``UnfilledChunks`` for which of them make room.
  public static func unfilledLimit(quota: Int64?) -> Int64 {
    min(max((quota ?? .max) / 16, 16 << 20), 256 << 20)
  }

  /// How many recipients a chunk may have.
  static let recipientLimit: Int64 = 100_000

  /// Adds recipients in one transaction.
  public func add(_ recipients: [ChunkRecipient], to chunk: ChunkNumber) async throws(ChunkStoreError) {
    if let quota {
      // Otherwise they would fill the disk that the quota keeps free.
      let usage = counted.withLock { $0 }
      let added = Int64(recipients.count) * UnfilledChunks.recipientSize
      guard usage.bytes + usage.reserved + database.recipientBytes.load(ordering: .relaxed) + added <= quota else {
        throw .quota
      }
    }
    let found = try await perform { (database) throws(SQLiteError) -> (Bool, Bool) in
      let count = try database.recipients(of: chunk) + Int64(recipients.count)
      guard count <= Self.recipientLimit,
        database.unfilled.mayAddRecipients(Int64(recipients.count), to: chunk.value)
      else { return (false, true) }
      return (true, try database.add(recipients, to: chunk))
    }
    guard found.0 else { throw .quota }
    guard found.1 else { throw .missing }
  }

  /// The chunk of a sender.
  public func chunk(
    ofSender id: EntityID
  ) async throws(ChunkStoreError) -> (chunk: ChunkRecord, key: AuthorizationKey)? {
    let found = try await perform(isRead: true) { (database) throws(SQLiteError) in
      try database.chunk(ofSender: id)
    }
    return found.map { (chunk: $0.0, key: $0.1) }
  }

  /// The chunk of a recipient.
  public func chunk(
    ofRecipient id: EntityID
  ) async throws(ChunkStoreError) -> (chunk: ChunkRecord, key: AuthorizationKey)? {
    let found = try await perform(isRead: true) { (database) throws(SQLiteError) in
      try database.chunk(ofRecipient: id)
    }
    return found.map { (chunk: $0.0, key: $0.1) }
  }

  /// Removes a recipient.
  public func removeRecipient(_ id: EntityID) async throws(ChunkStoreError) {
    try await perform { (database) throws(SQLiteError) in try database.removeRecipient(id) }
  }

  /// Deletes the record, then the bytes.
  public func delete(_ chunk: ChunkNumber) async throws(ChunkStoreError) -> Bool {
    let removed = try await perform { (database) throws(SQLiteError) in try database.delete(chunk) }
    if let removed {
      release([removed])
      await forgetReleased(beyond: Self.forgottenAtOnce)
    }
    return removed != nil
  }

  /// Marks the record, then deletes the bytes.
  public func block(_ chunk: ChunkNumber, _ info: BlockingInfo) async throws(ChunkStoreError) -> Bool {
    guard let text = try? BlockingInfo.codec.encode(info) else { throw .failed("blocking information") }
    let removed = try await perform { (database) throws(SQLiteError) in try database.block(chunk, text) }
    if let removed { release([removed]) }
    return removed != nil
  }

  /// Deletes records in one transaction, then the bytes.
  public func deleteChunks(createdBefore time: Int64, limit: Int) async throws(ChunkStoreError) -> Int {
    let removed = try await perform { (database) throws(SQLiteError) in
      let removed = try database.delete(createdBefore: time, limit: limit)
      if !removed.isEmpty { try database.releaseSpace() }
      return removed
    }
    release(removed)
    await forgetReleased(beyond: Self.forgottenAtOnce)
    return removed.count
  }

  /// The number of removed files that are noted before the database forgets them, in one transaction.
  private static let forgottenAtOnce = 256

  /// Has the database forget the removed files if there are more than `limit`. Where that fails, the next start does
  /// it.
  private func forgetReleased(beyond limit: Int) async {
    let ids = forgettable.withLock { ids -> [EntityID] in
      guard ids.count > limit else { return [] }
      defer { ids = [] }
      return ids
    }
    if !ids.isEmpty { try? await perform { (database) throws(SQLiteError) in try database.forgetReleased(ids) } }
  }

  /// Notes the time in the database.
  public func noteTime(_ time: Int64?) async throws(ChunkStoreError) -> Int64? {
    try await perform { (database) throws(SQLiteError) in try database.noteTime(time) }
  }

  /// Removes the files of chunks that the database does not have any more. What fails is left to the next start.
  private func release(_ removed: [ChunkDatabase.Removed]) {
    for chunk in removed {
      // Also where an upload failed after its file was in its place.
      let isGone = unlink(path(of: chunk.senderID)) == 0 || errno == ENOENT
      guard let size = chunk.size else { continue }
      if isGone { forgettable.withLock { $0.append(chunk.senderID) } }
      counted.withLock { usage in
        usage.bytes -= size
        usage.chunks -= 1
      }
    }
  }

  // MARK: The bytes

  /// The file of a chunk.
  func path(of senderID: EntityID) -> String { "\(folder)/\(Self.fileName(of: senderID))" }

  /// Creates a file with a temporary name.
  public func beginUpload(of chunk: ChunkRecord) throws(ChunkStoreError) -> any ChunkUpload {
    let size = Int64(chunk.size)
    let isReserved = counted.withLock { usage in
      let used = usage.bytes + usage.reserved + database.recipientBytes.load(ordering: .relaxed)
      if let quota, used + size > quota { return false }
      usage.reserved += size
      return true
    }
    guard isReserved else { throw .quota }
    do { return try DiskUpload(of: chunk, in: self) } catch {
      releaseReservation(size)
      throw ChunkStoreError(error)
    }
  }

  func releaseReservation(_ size: Int64) { counted.withLock { $0.reserved -= size } }

  /// Notes that the file of a chunk is in its place.
  ///
  /// A chunk may be uploaded several times at once, so files without a record are removed on the thread of the
  /// database, and a chunk whose file went meanwhile is not noted.
  func uploaded(_ chunk: ChunkRecord) async throws(ChunkStoreError) {
    let path = path(of: chunk.senderID)
    let isNew = try await perform { (database) throws(SQLiteError) -> Bool? in
      guard PathStatus.size(of: path) == Int64(chunk.size) else {
        // The chunk was deleted or blocked, or another upload of it failed.
        let record = try database.chunk(ofSender: chunk.senderID)?.0
        guard let record, record.number == chunk.number, record.blocked == nil else { return nil }
        throw SQLiteError(.other, "the file of a chunk is gone")
      }
      do throws(SQLiteError) { return try database.setUploaded(chunk.number) } catch {
        Self.discard(path, of: chunk, database)
        throw error
      }
    }
    guard let isNew else {
      unlink(path)
      throw .missing
    }
    guard isNew else { return }
    counted.withLock { usage in
      usage.bytes += Int64(chunk.size)
      usage.chunks += 1
    }
  }

  /// Removes the file of a chunk that could not be noted. Best effort: the next start removes it, too.
  func discard(_ chunk: ChunkRecord) async {
    let path = path(of: chunk.senderID)
    try? await perform { (database) throws(SQLiteError) in Self.discard(path, of: chunk, database) }
  }

  private static func discard(_ path: String, of chunk: ChunkRecord, _ database: ChunkDatabase) {
    guard let owner = try? database.fileOwner(chunk.senderID), owner != .stored else { return }
    unlink(path)
  }

  /// Opens the file of a chunk.
  public func open(_ chunk: ChunkRecord) throws(ChunkStoreError) -> (any ChunkReader)? {
    guard chunk.isUploaded else { return nil }
    do throws(FileError) { return try DiskReader(path(of: chunk.senderID)) } catch {
      if error.isMissing { return nil }
      throw ChunkStoreError(error)
    }
  }

  /// The folder for files that belong to no chunk.
  public var asideFolder: String { folder + "/unknown" }

  /// The folders in one of chunks into which files are moved that belong to no chunk: by a start, and by an import.
  public static func asideFolders(in folder: String) -> [String] {
    ["unknown", "not-imported"].map { "\(folder)/\($0)" }
  }

  /// Removes unfinished uploads, and the files of chunks that were deleted or blocked, which a crash left. Moves files
  /// that look like those of chunks, and that the database knows nothing of, into ``asideFolder``. Files of others stay
  /// where they are. Called before the first upload.
  /// - Returns: The number of files that were moved.
  @discardableResult
  public func removeStrayFiles() async throws(ChunkStoreError) -> Int {
    var ids: [EntityID] = []
    for name in Folder.names(in: folder) ?? [] {
      if name.hasSuffix(DiskUpload.suffix), Self.isChunkName(name.prefix { $0 != "." }) {
        unlink("\(folder)/\(name)")
      } else if Self.isChunkName(name), let bytes = Base64URL.decode(name) {
        ids.append(EntityID(bytes))
      }
    }
    let candidates = ids
    let (released, unknown) = try await perform { (database) throws(SQLiteError) -> ([EntityID], [EntityID]) in
      let noted = Set(try database.releasedFiles())
      var (released, unknown): ([EntityID], [EntityID]) = ([], [])
      for id in candidates {
        switch try database.fileOwner(id) {
        case .stored, .unfilled: continue
        case .blocked: released.append(id)
        case .unknown: if noted.contains(id) { released.append(id) } else { unknown.append(id) }
        }
      }
      return (released, unknown)
    }
    for id in released { unlink(path(of: id)) }
    do throws(FileError) {
      if !unknown.isEmpty { try Folder.create(asideFolder) }
      for id in unknown { try WholeFile.move(path(of: id), to: "\(asideFolder)/\(Self.fileName(of: id))") }
    } catch { throw ChunkStoreError(error) }
    try await perform { (database) throws(SQLiteError) in try database.forgetReleased(database.releasedFiles()) }
    return unknown.count
  }

  /// Closes the database after what was begun.
  public func close() async {
    await forgetReleased(beyond: 0)
    await commits.close { [database] in database.state.withLock { $0 = nil } }
  }
}

extension ChunkStoreError {
  /// Without the path, which has the identifier of a sender.
  init(_ error: FileError) {
    self = error.isDiskFull ? .full : .failed("\(error.operation): \(String(cString: strerror(error.code)))")
  }

  init(_ error: SQLiteError) {
    switch error.kind {
    case .constraint: self = .duplicate
    case .diskFull: self = .full
    case .busy: self = .inUse
    default: self = .failed("\(error)")
    }
  }
}
