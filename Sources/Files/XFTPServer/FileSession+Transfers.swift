import ChunkStore
import HTTP2Transport
import RelayChassis
import SMPProtocol
import SimplexCrypto
import SimplexTransport
import XFTPProtocol

// The transfer of chunks, in parts: no more than a few of them are in memory.

extension FileSession {
  /// The bytes that are read at once from the store, and at least from the network.
  private static let partSize = 64 << 10
  /// How long a client that was too slow may take to receive that answer.
  private static let answerTime = Duration.seconds(5)

  /// Stores the chunk that follows the block.
  ///
  /// A chunk that is there already is not changed; its bytes are read nevertheless, since a client that lost the
  /// response sends them again.
  func receive(
    _ chunk: ChunkRecord, _ body: inout RequestBody, on stream: HTTP2Stream
  ) async throws(HTTP2Error) -> FileResponse {
    guard let slot = await relay.transfers.begin(stream, of: ObjectIdentifier(self)) else { return .err(.TIMEOUT) }
    defer { relay.transfers.end(slot) }
    stream.setDeadline(
      relay.configuration.transferTimeout, renewedBy: Self.partSize, grace: Self.answerTime)
    do throws(HTTP2Error) { return try await receive(chunk, &body, in: slot) } catch {
      if error == .timeout { return .err(.TIMEOUT) }
      throw error
    }
  }

  private func receive(
    _ chunk: ChunkRecord, _ body: inout RequestBody, in slot: Int
  ) async throws(HTTP2Error) -> FileResponse {
    if chunk.isUploaded { return try await skip(chunk, &body) }
    let upload: any ChunkUpload
    let store = relay.store
    do throws(ChunkStoreError) {
      upload = try await Self.disk { () throws(ChunkStoreError) in try store.beginUpload(of: chunk) }
    } catch {
      return .err(relay.failure(error))
    }
    defer { upload.abort() }
    while let part = try await body.readPart(atLeast: Self.partSize) {
      do throws(ChunkStoreError) {
        try await Self.disk { () throws(ChunkStoreError) in try upload.write(part) }
      } catch {
        return .err(relay.failure(error))
      }
    }
    relay.transfers.noteStoring(of: slot)
    await BlockingWork.flushes.run { upload.flush() }
    do throws(ChunkStoreError) { try await upload.finish() } catch { return .err(relay.failure(error)) }
    relay.statistics.count(.filesUploaded)
    relay.storeHealth.worked()
    return .ok
  }

  /// Runs a step that uses the disk, on a thread that may wait for it.
  private static func disk<Value: Sendable>(
    _ step: @escaping @Sendable () throws(ChunkStoreError) -> Value
  ) async throws(ChunkStoreError) -> Value {
    try await BlockingWork.parts.run(step)
  }

  private func skip(_ chunk: ChunkRecord, _ body: inout RequestBody) async throws(HTTP2Error) -> FileResponse {
    var left = Int64(chunk.size)
    while let part = try await body.readPart(atLeast: Self.partSize) {
      left -= Int64(part.count)
      if left < 0 { break }
    }
    return left == 0 ? .ok : .err(.SIZE)
  }

  /// Sends a chunk in a box for its recipient.
  func send(
    _ chunk: ChunkRecord, to received: ReceivedTransmission<FileCommand>, key recipientKey: X25519.PublicKey,
    in session: SessionContext, on stream: HTTP2Stream
  ) async throws(HTTP2Error) {
    guard let slot = await relay.transfers.begin(stream, of: ObjectIdentifier(self)) else {
      return try await respond(.err(.TIMEOUT), to: received, in: session, on: stream)
    }
    defer { relay.transfers.end(slot) }
    let opened: (any ChunkReader)?
    let store = relay.store
    do throws(ChunkStoreError) {
      opened = try await Self.disk { () throws(ChunkStoreError) in try store.open(chunk) }
    } catch {
      return try await respond(.err(relay.failure(error)), to: received, in: session, on: stream)
    }
    guard let reader = opened else {
      return try await respond(.err(chunk.isUploaded ? .AUTH : .NO_FILE), to: received, in: session, on: stream)
    }
    var random = SystemRandom()
    let key = X25519.PrivateKey(using: &random)
    let nonce = BoxNonce(using: &random)
    guard let boxKey = try? key.boxKey(with: recipientKey) else {
      return try await respond(.err(.CRYPTO), to: received, in: session, on: stream)
    }
    relay.statistics.downloaded(chunk.number, day: currentDay())
    stream.setDeadline(relay.configuration.transferTimeout, renewedBy: Self.partSize)
    let box = ChunkBox(relayKey: key.publicKey, nonce: nonce)
    try await respond(.file(box), to: received, in: session, on: stream, isLast: false)
    try await send(reader, of: Int64(chunk.size), in: BoxStream(.seal, key: boxKey, nonce: nonce), on: stream)
  }

  private func send(
    _ reader: any ChunkReader, of size: Int64, in box: consuming BoxStream, on stream: HTTP2Stream
  ) async throws(HTTP2Error) {
    var left = size
    while left > 0 {
      let count = Int(min(left, Int64(Self.partSize)))
      var part: [UInt8]
      do throws(ChunkStoreError) {
        part = try await Self.disk { () throws(ChunkStoreError) in try reader.read(count) }
        // Somebody truncated the file.
        if part.isEmpty { throw .failed("the file of a chunk is too short") }
      } catch {
        _ = relay.failure(error)
        // The client must not take it for the end.
        return stream.reset()
      }
      var span = part.mutableSpan
      var bytes = span.mutableBytes
      box.process(inPlace: &bytes)
      left -= Int64(part.count)
      try await stream.send(part)
    }
    try await stream.send(box.finish().bytes, isLast: true)
    // Until then, its parts are in memory.
    try await stream.flush()
  }
}
