import ChunkStore
import RelayChassis
import SMPProtocol
import SimplexCrypto
import WireCodec
import XFTPProtocol

/// The decisions and effects of commands, for all connections of a relay.
final class FileRelay: Sendable {
  let configuration: XFTPServerConfiguration
  let store: any ChunkStore
  let statistics: FileStatistics
  let transfers: FileTransferSlots
  /// The clock that decides whether chunks are too old.
  let expiryClock: ExpiryClock
  /// Whether the store works.
  let storeHealth: StoreHealth
  /// SHA-256 of the identity certificate.
  let fingerprint: [UInt8]
  /// The certificates of the relay, as DER.
  let certificates: [[UInt8]]

  /// The size of identifiers in bytes.
  private static let identifierSize = 16
  /// Creation times are rounded down to this number of seconds, so that they say less about uploads.
  static let timePrecision: Int64 = 3600

  /// - Parameter earlier: the one that it takes the place of for connections from now on.
  init(
    _ configuration: XFTPServerConfiguration, store: any ChunkStore, inPlaceOf earlier: FileRelay? = nil
  ) throws(RelayError) {
    guard let identity = configuration.credential.chain.identity else { throw .noCertificate }
    self.configuration = configuration
    self.store = store
    statistics = earlier?.statistics ?? FileStatistics()
    transfers = earlier?.transfers ?? FileTransferSlots(configuration)
    let report = configuration.report ?? { _ in }
    expiryClock = earlier?.expiryClock ?? ExpiryClock(report: report)
    storeHealth = earlier?.storeHealth ?? StoreHealth(quietTime: configuration.storeQuietTime, report: report)
    fingerprint = identity.fingerprint
    certificates = configuration.credential.chain.certificates.map(\.der)
  }

  // MARK: The clock

  /// Begins the ``expiryClock`` with the time that the store noted last; called before anything can expire. Where the
  /// store does not answer, the clock is doubted.
  func beginTime() async {
    do throws(ChunkStoreError) { expiryClock.begin(lastAlive: try await store.noteTime(nil)) } catch {
      expiryClock.begin(lastAlive: 0)
    }
  }

  /// Notes in the store that the relay runs, unless the clock is doubted.
  func noteTime() async {
    guard let now = expiryClock.now else { return }
    do throws(ChunkStoreError) { _ = try await store.noteTime(now) } catch { _ = failure(error) }
  }

  // MARK: Authorization

  /// A command that may be executed.
  enum Verified: Sendable {
    case new(NewChunkRequest)
    case ping
    case chunk(FileCommand, ChunkRecord)
  }

  /// Checks the authorization of a command. A missing chunk takes as long as a wrong key.
  func verify(
    _ command: FileCommand, in received: ReceivedTransmission<FileCommand>, with verifier: AuthorizationVerifier
  ) async -> Result<Verified, XFTPErrorType> {
    if case .ping = command { return .success(.ping) }
    guard let authorization = received.authorization else { return .failure(.AUTH) }
    let isValid = { (key: AuthorizationKey) in
      verifier.isValid(authorization, by: key, correlation: received.correlationID)
    }
    if case .fnew(let request) = command {
      return isValid(request.chunk.senderKey) ? .success(.new(request)) : .failure(.AUTH)
    }
    do throws(ChunkStoreError) {
      let found =
        switch command.form.role {
        case .sender: try await store.chunk(ofSender: received.entityID)
        case .recipient: try await store.chunk(ofRecipient: received.entityID)
        }
      guard let found else {
        _ = verifier.checkWithDummyKey(authorization, correlation: received.correlationID)
        return .failure(.AUTH)
      }
      // That a chunk is blocked, and why, is for those who may use it.
      guard isValid(found.key) else { return .failure(.AUTH) }
      if let info = found.chunk.blocked { return .failure(.BLOCKED(blockInfo: info)) }
      return .success(.chunk(command, found.chunk))
    } catch {
      return .failure(failure(error))
    }
  }

  // MARK: Commands

  func create(_ request: NewChunkRequest, by owner: ChunkOwner) async -> FileResponse {
    guard configuration.allowsNewFiles else { return .err(.AUTH) }
    if configuration.basicAuth?.matches(request.basicAuth) == false { return .err(.AUTH) }
    guard configuration.chunkSizes.contains(request.chunk.size) else { return .err(.SIZE) }
    let now = currentSeconds()
    let createdAt = now - now % Self.timePrecision
    return await retrying { [store, statistics] () async throws(ChunkStoreError) -> FileResponse in
      var chunk = NewChunk(
        senderID: Self.newID(), info: request.chunk, createdAt: createdAt,
        recipients: request.recipientKeys.map { ChunkRecipient(id: Self.newID(), key: $0) })
      chunk.owner = owner
      // Only an upload shows that the store works: the disk of the bytes may be another one than that of the database.
      try await store.create(chunk)
      statistics.count(.filesCreated)
      statistics.count(.fileRecipients, by: chunk.recipients.count)
      return .sids(sender: chunk.senderID, recipients: chunk.recipients.map(\.id))
    }
  }

  func add(_ keys: [AuthorizationKey], to chunk: ChunkRecord) async -> FileResponse {
    await retrying { [store, statistics] () async throws(ChunkStoreError) -> FileResponse in
      let recipients = keys.map { ChunkRecipient(id: Self.newID(), key: $0) }
      try await store.add(recipients, to: chunk.number)
      statistics.count(.fileRecipients, by: recipients.count)
      return .rids(recipients.map(\.id))
    }
  }

  /// Repeats with other identifiers where one is in use.
  private func retrying(
    _ operation: () async throws(ChunkStoreError) -> FileResponse
  ) async -> FileResponse {
    for _ in 0..<3 {
      do throws(ChunkStoreError) { return try await operation() } catch {
        if error != .duplicate { return .err(failure(error)) }
      }
    }
    return .err(.INTERNAL)
  }

  func delete(_ chunk: ChunkRecord) async -> FileResponse {
    do throws(ChunkStoreError) {
      guard try await store.delete(chunk.number) else { return .err(.AUTH) }
      statistics.count(.filesDeleted)
      return .ok
    } catch {
      return .err(failure(error))
    }
  }

  func acknowledge(_ recipient: EntityID) async -> FileResponse {
    do throws(ChunkStoreError) {
      try await store.removeRecipient(recipient)
      statistics.count(.fileDownloadAcks)
      return .ok
    } catch {
      return .err(failure(error))
    }
  }

  /// The error of a client where the store refuses or fails; failures are logged.
  func failure(_ error: ChunkStoreError) -> XFTPErrorType {
    switch error {
    case .missing: return .AUTH
    case .quota: return .QUOTA
    case .size: return .SIZE
    case .digest: return .DIGEST
    case .full:
      storeHealth.failed(error.description)
      return .QUOTA
    case .closed: return .FILE_IO
    case .duplicate, .inUse, .failed:
      storeHealth.failed(error.description)
      return .FILE_IO
    }
  }

  private static func newID() -> EntityID {
    var random = SystemRandom()
    return EntityID(random.bytes(identifierSize))
  }
}
