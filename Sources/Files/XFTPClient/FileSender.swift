import FileAccess
import SMPProtocol
import SimplexCrypto
import SimplexTransport
import WireCodec
import XFTPProtocol

/// Uploads encrypted files, and makes their descriptions.
public struct FileSender: Sendable {
  /// The relays to choose from, with their passwords; each chunk goes to one of them.
  public var servers: [ServerWithAuth<XFTPScheme>]
  /// The number of recipients, each with a description of its own.
  public var recipients: Int
  /// The number of attempts for each command.
  public var attempts = 3
  /// The number of chunks that are uploaded at once. The reference's relay stops reading when several come over one
  /// connection.
  public var parallelChunks = 1
  private let relays: FileRelays

  /// A sender; at least one recipient.
  public init(servers: [ServerWithAuth<XFTPScheme>], recipients: Int, relays: FileRelays) {
    self.servers = servers
    self.recipients = max(1, recipients)
    self.relays = relays
  }

  /// The descriptions of an uploaded file.
  public struct Descriptions: Equatable, Sendable {
    /// For the sender, to delete the file.
    public let sender: FileDescription
    /// One for each recipient.
    public let recipients: [FileDescription]
  }

  /// A chunk at a relay.
  private struct Uploaded: Sendable {
    let chunk: SealedChunk
    let server: XFTPServer
    let sender: EntityID
    let key: AuthorizationPrivateKey
    let recipients: [(id: EntityID, key: AuthorizationPrivateKey)]
  }

  /// Uploads all chunks. `progress` is called with the number of bytes that the relays have.
  public func send(
    _ file: SealedFile, progress: @escaping @Sendable (Int64) -> Void = { _ in }
  ) async throws(FileTransferError) -> Descriptions {
    guard !servers.isEmpty else { throw .noServer }
    let uploaded = try await inParallel(
      file.chunks, limit: parallelChunks, size: { Int64($0.size) }, progress: progress
    ) {
      (chunk) async throws(FileTransferError) in try await upload(chunk, of: file)
    }
    return descriptions(of: file, uploaded)
  }

  private func upload(_ chunk: SealedChunk, of file: SealedFile) async throws(FileTransferError) -> Uploaded {
    guard let server = servers.randomElement() else { throw .noServer }
    var random = SystemRandom()
    let key = AuthorizationPrivateKey.ed25519(Ed25519.PrivateKey(using: &random))
    let keys = (0..<recipients).map { _ in AuthorizationPrivateKey.ed25519(Ed25519.PrivateKey(using: &random)) }
    let info = ChunkInfo(senderKey: key.publicKey, size: chunk.size, digest: chunk.digest)
    let limit = FileRelayConnection.recipientLimit
    let created = try await relays.perform(with: server.server, attempts: attempts) {
      (relay) async throws(FileClientError) in
      let request = NewChunkRequest(
        chunk: info, recipientKeys: keys.prefix(limit).map(\.publicKey), basicAuth: server.basicAuth)
      return try await relay.create(request, key: key)
    }
    var ids = created.recipients
    while ids.count < keys.count {
      let more = keys[ids.count...].prefix(limit).map(\.publicKey)
      ids += try await relays.perform(with: server.server, attempts: attempts) {
        (relay) async throws(FileClientError) in
        try await relay.addRecipients(more, to: created.sender, key: key)
      }
    }
    try await relays.perform(with: server.server, attempts: attempts) { (relay) async throws(FileClientError) in
      let input = FileParts(file.path, from: chunk.offset)
      try await relay.upload(chunk.size, to: created.sender, key: key) { count in
        try await BlockingWork.parts.run { () throws(FileError) in try input.read(count) }
      }
    }
    return Uploaded(
      chunk: chunk, server: server.server, sender: created.sender, key: key,
      recipients: zip(ids, keys).map { (id: $0, key: $1) })
  }

  private func descriptions(of file: SealedFile, _ uploaded: [Uploaded]) -> Descriptions {
    func description(_ party: FileParty, _ replica: (Uploaded) -> FileReplica) -> FileDescription {
      FileDescription(
        party: party, size: file.size, digest: file.digest, key: file.key, nonce: file.nonce,
        chunkSize: file.defaultChunkSize,
        chunks: uploaded.map { uploaded in
          FileChunk(
            number: uploaded.chunk.number, size: uploaded.chunk.size, digest: uploaded.chunk.digest,
            replicas: [replica(uploaded)])
        })
    }
    return Descriptions(
      sender: description(.sender) { FileReplica(server: $0.server, id: $0.sender, key: $0.key) },
      recipients: (0..<recipients).map { index in
        description(.recipient) {
          FileReplica(server: $0.server, id: $0.recipients[index].id, key: $0.recipients[index].key)
        }
      })
  }

  /// Deletes all chunks of a file at their relays. It can be repeated: chunks that a relay does not have any more are
  /// passed over, and all others are deleted before a failure is reported.
  /// - Throws: the first failure; also where no relay has any chunk.
  public func delete(_ description: FileDescription) async throws(FileTransferError) {
    var failure: FileTransferError?
    var refusal: FileTransferError?
    var isAnyDeleted = false
    for replica in description.chunks.flatMap(\.replicas) {
      do throws(FileTransferError) {
        try await relays.perform(with: replica.server, attempts: attempts) { (relay) async throws(FileClientError) in
          try await relay.delete(replica.id, key: replica.key)
        }
        isAnyDeleted = true
      } catch {
        if case .relay(_, .relay(.AUTH)) = error { refusal = refusal ?? error } else { failure = failure ?? error }
      }
    }
    if let failure { throw failure }
    if !isAnyDeleted, let refusal { throw refusal }
  }
}

/// Reads a file from a position on.
///
/// Unchecked: one step at a time uses it.
final class FileParts: @unchecked Sendable {
  private let path: String
  private var position: Int64
  private var file: FileDescriptor?

  init(_ path: String, from position: Int64) {
    self.path = path
    self.position = position
  }

  /// The next bytes, at most `count`; fewer only at the end of the file.
  func read(_ count: Int) throws(FileError) -> [UInt8] {
    var failure: FileError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { space, size in
      do throws(FileError) { size = try fill(UnsafeMutableRawBufferPointer(space)) } catch { failure = error }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Replaces what an array has by the next bytes, as many; at the end of the file it becomes shorter.
  func read(into bytes: inout [UInt8]) throws(FileError) {
    // Not the method of the array, which does not say what it throws.
    var span = bytes.mutableSpan
    var space = span.mutableBytes
    let count = try space.withUnsafeMutableBytes { (space) throws(FileError) in try fill(space) }
    bytes.removeLast(bytes.count - count)
  }

  private func fill(_ space: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    if file == nil { file = try FileDescriptor(path, .reading) }
    let count = try file?.read(space, at: position) ?? 0
    position += Int64(count)
    return count
  }
}

/// Applies an operation to elements, a limited number at once, and returns the results in order. The first failure
/// cancels the rest.
func inParallel<Element: Sendable, Output: Sendable>(
  _ elements: [Element], limit: Int, size: (Element) -> Int64, progress: (Int64) -> Void,
  _ body: @escaping @Sendable (Element) async throws(FileTransferError) -> Output
) async throws(FileTransferError) -> [Output] {
  typealias Outcome = (index: Int, result: Result<Output, FileTransferError>)
  let all = await withTaskGroup(of: Outcome.self) { group -> Result<[Int: Output], FileTransferError> in
    var outputs: [Int: Output] = [:]
    var next = 0
    var done: Int64 = 0
    var running = 0
    while true {
      while running < max(1, limit), next < elements.count {
        let (index, element) = (next, elements[next])
        next += 1
        running += 1
        group.addTask {
          // Not inside the tuple: Swift 6.3.1 would return a wrong index with a failure (ARCHITECTURE.md).
          let result: Result<Output, FileTransferError>
          do throws(FileTransferError) { result = .success(try await body(element)) } catch { result = .failure(error) }
          return (index, result)
        }
      }
      guard let outcome = await group.next() else { return .success(outputs) }
      running -= 1
      switch outcome.result {
      case .success(let output): outputs[outcome.index] = output
      case .failure(let error):
        group.cancelAll()
        return .failure(error)
      }
      done += size(elements[outcome.index])
      progress(done)
    }
  }
  let outputs = try all.get()
  return elements.indices.compactMap { outputs[$0] }
}
