import SimplexCrypto
import WireCodec

/// The page at a contact link. The secret part of a link follows `#` and is never sent to the relay: a script shows it
/// as a QR code, and as a link that opens an app.
struct LinkPage {
  private static let body = """
    <h1 id="title">SimpleX link</h1>
    <p>Open this link in a SimpleX app, or scan the code with one on another device.</p>
    <p><a class="button" id="open" href="simplex:/">Open in the app</a></p>
    <p><canvas id="code" width="0" height="0"></canvas></p>
    <p>In a terminal: <code id="command"></code></p>
    <noscript><p>This page needs JavaScript to show the code; the link can be pasted into an app without it.</p></noscript>
    <p>The address is in the part of the link after the sign #, which browsers do not send: this server does not learn it.</p>
    """

  var page: WebSite.Page {
    let script = LinkScript.text
    return WebSite.Page(
      html: WebFrame.html(title: "SimpleX link", body: Self.body + "\n<script>\(script)</script>"),
      scriptHash: Self.base64(HashFunction.sha256.digest(of: Array(script.utf8).span.bytes)))
  }

  /// In the usual alphabet.
  private static func base64(_ bytes: [UInt8]) -> String {
    String(Base64URL.string(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
  }
}
