import FileAccess
import HTTP2Transport
import RelayChassis
import SimplexTransport

// Pages and files for browsers.

extension FileSession {
  /// The bytes of a file that are read at once.
  private static let partSize = 64 << 10

  /// Responds to GET and HEAD: with a page of the relay, or a file of the operator's folder.
  func show(_ request: HTTP2Head, on stream: HTTP2Stream) async throws(HTTP2Error) {
    let isHead = request.method == "HEAD"
    if let page = relay.configuration.site?[request.path] {
      try await stream.send(HTTP2Head(status: 200, fields: Self.fields(page.fields)), isWhole: isHead)
      if !isHead { try await stream.send(Array(page.html.utf8), isLast: true) }
      return
    }
    let (folder, path) = (relay.configuration.staticFolder, request.path)
    guard let folder, let file = await BlockingWork.parts.run({ folder.file(at: path) }) else {
      return try await stream.send(HTTP2Head(status: 404), isWhole: true)
    }
    let head = HTTP2Head(
      status: 200,
      fields: Self.fields([
        ("Content-Type", file.mediaType), ("Content-Length", "\(file.size)"), ("X-Content-Type-Options", "nosniff"),
      ]))
    if isHead || file.size == 0 { return try await stream.send(head, isWhole: true) }
    guard let slot = await relay.transfers.begin(stream, of: ObjectIdentifier(self)) else {
      return try await stream.send(HTTP2Head(status: 503), isWhole: true)
    }
    defer { relay.transfers.end(slot) }
    stream.setDeadline(relay.configuration.transferTimeout, renewedBy: Self.partSize)
    try await send(file, head, on: stream)
  }

  private func send(
    _ file: StaticFolder.File, _ head: HTTP2Head, on stream: HTTP2Stream
  ) async throws(HTTP2Error) {
    let opened = try? await BlockingWork.parts.run { () throws(FileError) in try OpenFile(file.path) }
    guard let input = opened else {
      return try await stream.send(HTTP2Head(status: 404), isWhole: true)
    }
    try await stream.send(head)
    var left = file.size
    while left > 0 {
      let count = Int(min(left, Int64(Self.partSize)))
      // Somebody replaced the file meanwhile: the browser must not take it for the end.
      let read = try? await BlockingWork.parts.run { () throws(FileError) in try input.file.readPart(count) }
      guard let part = read, part.count == count else { return stream.reset() }
      left -= Int64(count)
      try await stream.send(part, isLast: left == 0)
    }
    try await stream.flush()
  }

  private static func fields(_ fields: [(name: String, value: String)]) -> [HTTP2Head.Field] {
    fields.map { HTTP2Head.Field(name: $0.name.lowercased(), value: $0.value) }
  }
}

/// An open file. A reference, because asynchronous functions cannot keep the value.
private final class OpenFile: Sendable {
  let file: FileDescriptor

  init(_ path: String) throws(FileError) { file = try FileDescriptor(path, .reading) }
}
