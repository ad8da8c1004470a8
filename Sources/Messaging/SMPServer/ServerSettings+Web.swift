import RelayChassis
import WireCodec

extension ServerSettings {
  /// The pages for browsers.
  public var site: WebSite {
    let isOpen = server.allowsNewQueues
    let limits = InformationPage.Section(
      "This relay",
      [
        ("Versions of SMP", Self.text(server.versions)),
        ("Kept on disk", keepsQueues ? "queues and messages" : "nothing"),
        ("Undelivered messages are deleted", server.messageTTL.map { "after \($0 / 86_400) days" } ?? "never"),
        ("Messages in a queue", "at most \(server.queueQuota)"),
        ("New queues", !isOpen ? "refused" : server.basicAuth == nil ? "allowed" : "allowed with a password"),
        ("Forwards to other relays", server.proxy == nil ? "no" : "yes"),
        ("Statistics of the whole relay", common.logsStatistics || common.metricsInterval != nil ? "on" : "off"),
      ])
    return WebSite(
      InformationPage(title: "SMP relay", sections: [limits], information: common.information),
      Dictionary(uniqueKeysWithValues: LinkPage.names.map { ($0, LinkPage.page) }))
  }

  private static func text(_ versions: VersionRange) -> String { "\(versions.lowest) to \(versions.highest)" }
}
