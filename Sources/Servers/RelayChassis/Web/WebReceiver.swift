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

  private static func end(of head: [UInt8], from start: Int) -> Int? {
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

/// The response to a request, with its head.
struct WebResponse {
  private(set) var bytes: [UInt8]

  /// The response to the head of a request, without the empty line at its end.
  init(to request: ArraySlice<UInt8>, of site: WebSite) {
    let line = String(decoding: request.prefix { $0 != 13 }, as: UTF8.self).split(separator: " ")
    guard line.count == 3, line[2].hasPrefix("HTTP/1.") else {
      self.init(status: "400 Bad Request")
      return
    }
    guard line[0] == "GET" || line[0] == "HEAD" else {
      self.init(status: "405 Method Not Allowed", fields: ["Allow: GET, HEAD"])
      return
    }
    let isHead = line[0] == "HEAD"
    guard let page = site[String(line[1])] else {
      self.init(
        status: "404 Not Found", html: WebFrame.html(title: "Not found", body: "<h1>Not found</h1>"), isHead: isHead)
      return
    }
    self.init(status: "200 OK", html: page.html, scriptHash: page.scriptHash, isHead: isHead)
  }

  init(
    status: String, fields: [String] = [], html: String = "", scriptHash: String? = nil, isHead: Bool = false
  ) {
    let page = WebSite.Page.fields(size: html.utf8.count, scriptHash: scriptHash).map { "\($0.name): \($0.value)" }
    let head = ["HTTP/1.1 \(status)"] + page + ["Connection: close"] + fields
    bytes = Array((head.joined(separator: "\r\n") + "\r\n\r\n" + (isHead ? "" : html)).utf8)
  }
}
