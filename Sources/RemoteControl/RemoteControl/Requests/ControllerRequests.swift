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
  private let responses: FrameBudget

  /// The long responses of all hosts.
  private static let allResponses = FrameBudget(limit: RemoteLimits.responseBytes)

  init(_ connection: HTTP2Connection, _ frames: FrameChannel, responses: FrameBudget = allResponses) {
    self.connection = connection
    self.frames = frames
    self.responses = responses
  }

  /// Whether requests can be sent.
  var isOpen: Bool { connection.isOpen }

  /// Closes the connection.
  func close() { connection.close() }

  /// Has the host execute a command.
  /// - Returns: the response, and the path of the file in it, which the caller owns.
  func send(_ command: RemoteCommand, filePath: String?) async throws(RemoteRequestError) -> RemoteAnswer {
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
  ) async throws(RemoteRequestError) -> RemoteAnswer {
    let answer: RemoteAnswer
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

  private func exchange(_ command: RemoteCommand, _ filePath: String?) async throws(FrameError) -> RemoteAnswer {
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
    let result: Result<RemoteAnswer, FrameError> = await withTaskCancellationHandler {
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
  ) async throws(FrameError) -> RemoteAnswer {
    try await frames.send(frame, file: file, on: stream)
    return try await receive(command, on: stream)
  }

  private func receive(_ command: RemoteCommand, on stream: HTTP2Stream) async throws(FrameError) -> RemoteAnswer {
    let head: HTTP2Head
    do throws(HTTP2Error) { head = try await stream.head() } catch { throw .http2("\(error)") }
    guard head.status == 200 else { throw .http2("status \(head.status)") }
    // Events are short, and one at a time: no other response keeps them out.
    if case .recv = command {
      let frame = try await frames.receive(on: stream)
      guard frame.json.count <= FrameContent.commandLimit else { throw .invalidSize }
      try await frames.requireEnd(after: frame, on: stream)
      let response = try RemoteResponse(content: frame.json)
      if case .file = response { throw .unexpectedResponse("file") }
      return RemoteAnswer(response: response)
    }
    let share = FrameShare(of: responses)
    let frame = try await frames.receive(on: stream, counting: share)
    let response = try RemoteResponse(content: frame.json)
    guard case .file(let size, let digest) = response else {
      try await frames.requireEnd(after: frame, on: stream)
      return RemoteAnswer(response: response, share: share)
    }
    guard case .getFile = command else { throw .unexpectedResponse("file") }
    let path = try await frames.receiveFile(size: size, digest: digest, after: frame, on: stream)
    return RemoteAnswer(response: response, filePath: path)
  }
}

/// The answer of a host to a request.
public struct RemoteAnswer: Sendable {
  /// The response.
  public let response: RemoteResponse
  /// The path of the file of ``RemoteControlProtocol/RemoteResponse/file(size:digest:)``, which the caller owns; nil
  /// for none.
  public let filePath: String?
  /// What a long response has of the memory for responses, as long as the answer is kept.
  private let share: FrameShare?

  init(response: RemoteResponse, filePath: String? = nil, share: FrameShare? = nil) {
    self.response = response
    self.filePath = filePath
    self.share = share
  }
}
