import NIOCore
import SimplexTransport

/// Serves one request of a browser on a TLS connection, with HTTP/1.1, and closes it: each page is one request.
///
/// Used on the connection's event loop alone.
package final class WebReceiver: PlaintextReceiver {
  /// The protocol that browsers are offered.
  package static let applicationProtocol = "http/1.1"
  /// The longest head of a request in bytes; more is refused.
  static let headLimit = 8_192
  /// The time for the whole request and response.
  static let deadline = TimeAmount.seconds(30)

  private let site: WebSite
  private let tls: TLSHandler
  private let channel: any Channel
  private var head: [UInt8] = []
  private var isAnswered = false
  private let timeout: Scheduled<Void>

  package init(_ site: WebSite, tls: TLSHandler, channel: any Channel) {
    self.site = site
    self.tls = tls
    self.channel = channel
    timeout = channel.eventLoop.scheduleTask(in: Self.deadline) { channel.close(promise: nil) }
  }

  package func read(from engine: TLSEngine) throws(TLSError) -> Bool {
    try engine.readAll(received)
  }

  private func received(_ bytes: ArraySlice<UInt8>) {
    // What follows the head is the body of a request that is refused anyway.
    guard !isAnswered else { return }
    // The end of the head may be in two parts.
    let searched = max(0, head.count - 3)
    head += bytes
    if let end = Self.end(of: head, from: searched) {
      answer(WebResponse(to: head[..<end], of: site))
    } else if head.count > Self.headLimit {
      answer(WebResponse(status: "431 Request Header Fields Too Large"))
    }
  }

  /// The offset of the empty line at the end of a head; nil where it has not arrived.
  static func end(of head: [UInt8], from start: Int) -> Int? {
    let mark: [UInt8] = [13, 10, 13, 10]
    guard head.count >= start + mark.count else { return nil }
    return (start...head.count - mark.count).first { head[$0..<$0 + mark.count].elementsEqual(mark) }
  }

  private func answer(_ response: WebResponse) {
    isAnswered = true
    head = []
    if (try? tls.write(response.bytes.span.bytes)) != nil { tls.flush() }
    channel.close(promise: nil)
  }

  package func readComplete() {}

  package func writabilityChanged(_ isWritable: Bool) {}

  package func connectionClosed(_ error: TransportError?) { timeout.cancel() }
}

/// A request for a page, from its head.
struct WebRequest {
  /// The target of the request.
  let path: String
  /// Whether only the head of the response is asked for.
  let isHead: Bool

  /// Why a request has no response of its own.
  enum Refused: Error { case malformed, method }

  /// Reads a head without the empty line at its end.
  init(_ head: ArraySlice<UInt8>) throws(Refused) {
    let line = String(decoding: head.prefix { $0 != 13 }, as: UTF8.self).split(separator: " ")
    guard line.count == 3, line[2].hasPrefix("HTTP/1.") else { throw .malformed }
    guard line[0] == "GET" || line[0] == "HEAD" else { throw .method }
    (path, isHead) = (String(line[1]), line[0] == "HEAD")
  }
}

/// The response to a request, with its head.
struct WebResponse: Sendable {
  private(set) var bytes: [UInt8]

  /// The response to the head of a request, without the empty line at its end.
  init(to head: ArraySlice<UInt8>, of site: WebSite) {
    let request: WebRequest
    do throws(WebRequest.Refused) { request = try WebRequest(head) } catch {
      self.init(error)
      return
    }
    guard let page = site[request.path] else {
      let html = WebFrame.html(title: "Not found", body: "<h1>Not found</h1>")
      self.init(status: "404 Not Found", html: html, isHead: request.isHead)
      return
    }
    self.init(status: "200 OK", html: page.html, scriptHash: page.scriptHash, isHead: request.isHead)
  }

  /// The response to a request that was refused.
  init(_ refused: WebRequest.Refused) {
    switch refused {
    case .malformed: self.init(status: "400 Bad Request")
    case .method: self.init(status: "405 Method Not Allowed", fields: ["Allow: GET, HEAD"])
    }
  }

  init(
    status: String, fields: [String] = [], html: String = "", scriptHash: String? = nil, isHead: Bool = false
  ) {
    let page = WebSite.Page.fields(size: html.utf8.count, scriptHash: scriptHash).map { "\($0.name): \($0.value)" }
    self.init(status: status, allFields: page + ["Connection: close"] + fields, body: isHead ? "" : html)
  }

  /// A response with metrics in the text format of Prometheus.
  init(metrics text: String, isHead: Bool) {
    let fields = ["Content-Type: text/plain; version=0.0.4; charset=utf-8", "Content-Length: \(text.utf8.count)"]
    self.init(status: "200 OK", allFields: fields + ["Connection: close"], body: isHead ? "" : text)
  }

  private init(status: String, allFields fields: [String], body: String) {
    bytes = Array(((["HTTP/1.1 \(status)"] + fields).joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
  }
}
