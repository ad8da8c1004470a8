import RelayChassis
import XFTPProtocol

extension FileServerSettings {
  /// The pages for browsers.
  public var site: WebSite {
    let limits = InformationPage.Section(
      "This relay",
      [
        ("Versions of XFTP", "\(server.versions.lowest) to \(server.versions.highest)"),
        ("Files are deleted", server.fileTTL.map { "after \($0 / 3600) hours" } ?? "never"),
        (
          "New files",
          !server.allowsNewFiles ? "refused" : server.basicAuth == nil ? "allowed" : "allowed with a password"
        ), ("Statistics of the whole relay", common.logsStatistics || common.metricsInterval != nil ? "on" : "off"),
      ])
    return WebSite(
      InformationPage(
        title: "XFTP relay", sections: [limits], information: common.information,
        notice: (Self.linkNotice, Self.linkScript)),
      [:])
  }

  /// What links to files, `https://relay/#…`, lead to. The part after `#` is not sent to the relay.
  private static let linkNotice = """
    <div id="file" hidden>
    <h2>A file</h2>
    <p>This link leads to an encrypted file. To receive it in a terminal:</p>
    <p><code id="command"></code></p>
    <p>The key is in the part of the link after the sign #, which browsers do not send: this server does not learn it.</p>
    </div>
    """

  // Only what a link may have is shown: somebody may paste the command.
  private static let linkScript = """
    'use strict';
    if (/^#[\\w=~.-]+$/.test(location.hash)) {
      document.getElementById('command').textContent = "xftp recv 'https://" + location.host + "/" + location.hash + "'";
      document.getElementById('file').hidden = false;
    }
    """
}
