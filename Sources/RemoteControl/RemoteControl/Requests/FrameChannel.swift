import HTTP2Transport
import RemoteControlCore
import RemoteControlProtocol
import SimplexTransport
import Synchronization

/// Sends and receives the frames of one session on the streams of its connection, at either side.
final class FrameChannel: Sendable {
  private let cipher: Mutex<FrameCipher>
  private let budget = FrameBudget()
  private let temporaryFolder: String

  init(_ cipher: FrameCipher, temporaryFolder: String) {
    self.cipher = Mutex(cipher)
    self.temporaryFolder = temporaryFolder
  }

  // MARK: Sending

  /// The frame of a text in JSON.
  func seal(_ json: [UInt8]) throws(FrameError) -> FrameCipher.Sealed {
    try cipher.withLock { (cipher) throws(FrameError) in try cipher.seal(json) }
  }

  /// Sends a frame, with a file of this declared size if there is one, and ends the body. A peer that has answered
  /// already gets no more of it.
  func send(
    _ frame: FrameCipher.Sealed, file: (path: String, size: UInt32)?, on stream: HTTP2Stream
  ) async throws(FrameError) {
    guard try await stream.sendPart(frame.bytes, isLast: file == nil), let file else { return }
    try await FileTransfer.send(file.path, size: file.size, key: frame.fileKey, on: stream)
  }

  // MARK: Receiving

  /// A frame of the peer, opened.
  struct Received: Sendable {
    /// The text in JSON.
    var json: [UInt8]
    /// The key of a file.
    var fileKey: OneTimeKey
    /// Bytes behind the frame that have arrived.
    var rest: [UInt8]
  }

  /// Receives the frame at the beginning of a body.
  /// - Parameter share: takes the size of the text where it is long; nil if it is not counted.
  func receive(on stream: HTTP2Stream, counting share: FrameShare? = nil) async throws(FrameError) -> Received {
    var taken = 0
    defer { budget.release(taken) }
    var reader = cipher.withLock { $0.reader }
    while let part = try await stream.nextPart() {
      try budget.take(part.count)
      taken += part.count
      guard let (frame, rest) = try reader.append(part) else { continue }
      let authentic = try cipher.withLock { (cipher) throws(FrameError) in try cipher.authenticate(frame) }
      // Before it is decompressed, and without the lock: a long text takes its time.
      if authentic.size > RemoteLimits.shortResponse { try share?.take(authentic.size) }
      let opened = try authentic.opened()
      return Received(json: opened.json, fileKey: opened.fileKey, rest: rest)
    }
    try reader.finish()
    throw .invalidSize
  }

  /// Receives the file behind a frame; returns the path of a temporary file, which the caller owns.
  func receiveFile(
    size: UInt32, digest: FileDigest, after frame: Received, on stream: HTTP2Stream
  ) async throws(FrameError) -> String {
    let path = FileTransfer.temporaryPath(in: temporaryFolder)
    let (key, rest) = (frame.fileKey, frame.rest)
    do throws(FrameError) {
      let file = try await BlockingWork.parts.run { [temporaryFolder] () throws(FrameError) in
        guard FileTransfer.freeBytes(in: temporaryFolder) >= Int64(size) + RemoteLimits.freeBytes else {
          throw .exception("not enough free space")
        }
        let file = try FileReceiver(path, size: size, digest: digest, key: key)
        try file.append(rest)
        return file
      }
      while let part = try await stream.nextPart(atLeast: RemoteLimits.filePart) {
        try await BlockingWork.parts.run { () throws(FrameError) in try file.append(part) }
      }
      try await BlockingWork.parts.run { () throws(FrameError) in try file.finish() }
    } catch {
      FileTransfer.remove(path)
      throw error
    }
    return path
  }

  /// Checks that nothing follows a frame.
  func requireEnd(after frame: Received, on stream: HTTP2Stream) async throws(FrameError) {
    guard frame.rest.isEmpty, try await stream.nextPart() == nil else { throw .unexpectedFile }
  }
}

extension HTTP2Stream {
  /// Sends a part of a body. Returns false where the peer has answered already, and takes no more of it.
  func sendPart(_ bytes: [UInt8], isLast: Bool = false) async throws(FrameError) -> Bool {
    do throws(HTTP2Error) {
      try await send(bytes, isLast: isLast)
      return true
    } catch .answered {
      return false
    } catch {
      throw .http2("\(error)")
    }
  }

  /// The next part of a body; nil at its end.
  fileprivate func nextPart(atLeast count: Int = 1) async throws(FrameError) -> [UInt8]? {
    do throws(HTTP2Error) {
      return try await read(atLeast: count)
    } catch {
      throw .http2("\(error)")
    }
  }
}
