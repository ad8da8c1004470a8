import RelayChassis

/// The page at a contact link. The secret part of a link follows `#` and is never sent to the relay: a script shows it
/// as a QR code, and as a link that opens an app.
enum LinkPage {
  /// The first components of the paths of links: full links to contacts and invitations, and short links to addresses,
  /// channels, groups, relays and invitations.
  static let names = ["contact", "invitation", "a", "c", "g", "r", "i"]

  private static let body = """
    <h1 id="title">SimpleX link</h1>
    <p>Open this link in a SimpleX app, or scan the code with one on another device.</p>
    <p><a class="button" id="open" href="simplex:/">Open in the app</a></p>
    <p><canvas id="code" width="0" height="0"></canvas></p>
    <p>Without an app: <a rel="noopener noreferrer" href="https://simplex.chat/downloads/">simplex.chat/downloads</a>
    has those for phones and computers. Open this link again when it is installed.</p>
    <p>In a terminal: <code id="command"></code></p>
    <noscript><p>This page needs JavaScript to show the code; the link can be pasted into an app without it.</p></noscript>
    <p>The address is in the part of the link after the sign #, which browsers do not send: this server does not learn it.</p>
    """

  static let page = WebSite.Page(title: "SimpleX link", body: body, script: LinkScript.text)
}
