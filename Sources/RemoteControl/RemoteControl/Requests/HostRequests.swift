import HTTP2Transport
import RemoteControlCore
import RemoteControlProtocol
import SimplexJSON

/// Serves the requests of the controller on one connection.
final class HostRequests: HTTP2RequestHandler {
  private let frames: FrameChannel
  private let handler: any RemoteRequestHandler
  private let began: @Sendable () -> Void
  /// The commands that are executed.
  private let commands = FrameBudget(limit: RemoteLimits.commandBytes)
  /// The files that are received.
  private let uploads = FrameBudget(limit: RemoteLimits.uploadBytes)

  /// - Parameter began: called with each request.
  init(_ frames: FrameChannel, handler: any RemoteRequestHandler, began: @escaping @Sendable () -> Void) {
    self.frames = frames
    self.handler = handler
    self.began = began
  }

  /// Answers a request; one that is not valid with the error.
  func handle(_ request: HTTP2Head, _ stream: HTTP2Stream) async {
    began()
    var received: String?
    defer { if let received { FileTransfer.remove(received) } }
    var taken = 0
    defer { commands.release(taken) }
    var reply: RemoteReply
    do throws(FrameError) {
      let command: RemoteCommand
      (command, received) = try await receive(on: stream, taken: &taken)
      reply = await self.reply(to: command, file: received, on: stream)
    } catch {
      reply = RemoteReply(.protocolError(error))
    }
    do throws(FrameError) {
      try await send(&reply, on: stream)
    } catch {
      stream.reset()
    }
  }

  /// Has the command executed. A wait for events is cancelled when the controller is gone, so that no event is taken
  /// for it; other commands are executed to the end.
  private func reply(to command: RemoteCommand, file: String?, on stream: HTTP2Stream) async -> RemoteReply {
    guard case .recv = command else { return await handler.reply(to: command, file: file) }
    let task = Task { [handler] in await handler.reply(to: command, file: nil) }
    stream.whenEnded { task.cancel() }
    return await task.value
  }

  private func receive(
    on stream: HTTP2Stream, taken: inout Int
  ) async throws(FrameError) -> (RemoteCommand, String?) {
    let frame = try await frames.receive(on: stream)
    try commands.take(frame.json.count)
    taken = frame.json.count
    let command = try RemoteCommand(content: frame.json)
    guard case .storeFile(_, let size, let digest) = command else {
      try await frames.requireEnd(after: frame, on: stream)
      return (command, nil)
    }
    try uploads.take(Int(size))
    defer { uploads.release(Int(size)) }
    let path = try await frames.receiveFile(size: size, digest: digest, after: frame, on: stream)
    return (command, path)
  }

  private func send(_ reply: inout RemoteReply, on stream: HTTP2Stream) async throws(FrameError) {
    let frame: FrameCipher.Sealed
    do throws(FrameError) {
      frame = try frames.seal(reply.response.jsonBytes())
    } catch .invalidSize {
      reply = RemoteReply(.protocolError(.invalidSize))
      frame = try frames.seal(reply.response.jsonBytes())
    }
    do throws(HTTP2Error) { try await stream.send(HTTP2Head(status: 200)) } catch { throw .http2("\(error)") }
    var file: (path: String, size: UInt32)?
    if case .file(let size, _) = reply.response, let path = reply.filePath { file = (path, size) }
    try await frames.send(frame, file: file, on: stream)
  }
}
