import HTTP2Transport
import RemoteControlCore
import RemoteControlProtocol
import SimplexJSON
import Synchronization

/// Sends the requests of the controller on one connection, in parallel.
final class ControllerRequests: Sendable {
  let connection: HTTP2Connection
  let frames: FrameChannel
  private let inProgress = Mutex(0)

  init(_ connection: HTTP2Connection, _ frames: FrameChannel) {
    self.connection = connection
    self.frames = frames
  }

  /// Whether requests can be sent.
  var isOpen: Bool { connection.isOpen }

  /// Closes the connection.
  func close() { connection.close() }

  /// Has the host execute a command.
  /// - Returns: the response, and the path of the file in it, which the caller owns.
  func send(
    _ command: RemoteCommand, filePath: String?
  ) async throws(RemoteRequestError) -> (response: RemoteResponse, filePath: String?) {
    guard inProgress.withLock({ begin(&$0) }) else { throw .frame(.http2("too many requests")) }
    defer { inProgress.withLock { $0 -= 1 } }
    return try await answer(to: command, filePath: filePath)
  }

  /// Asks for the next event; also while there are as many other requests as are allowed.
  func poll() async throws(RemoteRequestError) -> RemoteResponse {
    try await answer(to: .recv(microseconds: RemoteLimits.pollMicroseconds), filePath: nil).response
  }

  private func answer(
    to command: RemoteCommand, filePath: String?
  ) async throws(RemoteRequestError) -> (response: RemoteResponse, filePath: String?) {
    let answer: (response: RemoteResponse, filePath: String?)
    do throws(FrameError) {
      answer = try await exchange(command, filePath)
    } catch {
      throw .frame(error)
    }
    if case .protocolError(let error) = answer.response { throw .host(error) }
    return answer
  }

  private func begin(_ count: inout Int) -> Bool {
    guard count < RemoteLimits.requests else { return false }
    count += 1
    return true
  }

  private func exchange(_ command: RemoteCommand, _ filePath: String?) async throws(FrameError) -> (
    RemoteResponse, String?
  ) {
    var file: (path: String, size: UInt32)?
    if case .storeFile(_, let size, _) = command {
      guard let filePath else { throw .noFile }
      file = (filePath, size)
    } else if filePath != nil {
      throw .unexpectedFile
    }
    let stream: HTTP2Stream
    do throws(HTTP2Error) {
      stream = try await connection.request(method: "POST")
    } catch {
      throw .http2("\(error)")
    }
    // No-op where both bodies have ended.
    defer { stream.reset() }
    let frame = try frames.seal(command.jsonBytes())
    let sent = file
    let result: Result<(RemoteResponse, String?), FrameError> = await withTaskCancellationHandler {
      do throws(FrameError) {
        let answer = try await exchange(frame, file: sent, for: command, on: stream)
        return .success(answer)
      } catch {
        return .failure(error)
      }
    } onCancel: {
      stream.reset()
    }
    return try result.get()
  }

  private func exchange(
    _ frame: FrameCipher.Sealed, file: (path: String, size: UInt32)?, for command: RemoteCommand,
    on stream: HTTP2Stream
  ) async throws(FrameError) -> (RemoteResponse, String?) {
    try await frames.send(frame, file: file, on: stream)
    return try await receive(command, on: stream)
  }

  private func receive(
    _ command: RemoteCommand, on stream: HTTP2Stream
  ) async throws(FrameError) -> (RemoteResponse, String?) {
    let head: HTTP2Head
    do throws(HTTP2Error) { head = try await stream.head() } catch { throw .http2("\(error)") }
    guard head.status == 200 else { throw .http2("status \(head.status)") }
    let frame = try await frames.receive(on: stream)
    // Events are much shorter than pages of a chat.
    if case .recv = command, frame.json.count > FrameContent.commandLimit { throw .invalidSize }
    let response = try RemoteResponse(content: frame.json)
    guard case .file(let size, let digest) = response else {
      try await frames.requireEnd(after: frame, on: stream)
      return (response, nil)
    }
    guard case .getFile = command else { throw .unexpectedResponse("file") }
    let path = try await frames.receiveFile(size: size, digest: digest, after: frame, on: stream)
    return (response, path)
  }
}
