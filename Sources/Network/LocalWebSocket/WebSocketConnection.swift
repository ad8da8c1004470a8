import NIOCore
import NIOWebSocket

/// A connection to a client. One task reads; any task may send.
public struct WebSocketConnection: Sendable {
  /// The query of the client's request, `unread=on` for example.
  public let query: URLQuery
  private let frames: NIOAsyncChannelInboundStream<WebSocketFrame>
  private let outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>
  private let messageLimit: Int

  init(
    _ frames: NIOAsyncChannelInboundStream<WebSocketFrame>, _ outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>,
    query: URLQuery, messageLimit: Int
  ) {
    self.query = query
    self.frames = frames
    self.outbound = outbound
    self.messageLimit = messageLimit
  }

  /// Sends a text, with back-pressure: waits until the client has taken what was sent before.
  /// - Throws: `closed`.
  public func send(_ text: [UInt8]) async throws(WebSocketError) {
    try await send(.text, ByteBuffer(bytes: text))
  }

  /// Reads texts until the client closes the connection or violates the protocol, or `body` returns false. Whether they
  /// are UTF-8 is not checked.
  public func receive(_ body: ([UInt8]) async -> Bool) async {
    var message = ByteBuffer()
    var isInside = false
    do {
      for try await frame in frames {
        switch frame.opcode {
        case .text, .binary, .continuation:
          // Continuation frames belong to the current text, and a new text begins only after it.
          guard (frame.opcode == .continuation) == isInside else { return await close(.protocolError) }
          var data = frame.unmaskedData
          guard message.readableBytes + data.readableBytes <= messageLimit else {
            return await close(.messageTooLarge)
          }
          message.writeBuffer(&data)
          isInside = !frame.fin
          if isInside { continue }
          let text = Array(buffer: message)
          // Its memory is not kept between messages.
          message = ByteBuffer()
          guard await body(text) else { return await close(.normalClosure) }
        case .ping: try await send(.pong, frame.unmaskedData)
        case .connectionClose: return await close(.normalClosure)
        default: break
        }
      }
    } catch {
      // The connection is closed; nobody is left to receive the error.
    }
  }

  private func close(_ code: WebSocketErrorCode) async {
    var data = ByteBuffer()
    data.write(webSocketErrorCode: code)
    try? await send(.connectionClose, data)
  }

  private func send(_ opcode: WebSocketOpcode, _ data: ByteBuffer) async throws(WebSocketError) {
    do {
      try await outbound.write(WebSocketFrame(fin: true, opcode: opcode, data: data))
    } catch {
      throw .closed
    }
  }
}
