import ArgumentParser
import ChatAPI
import ChatTerminal
import SMPClientCore
import SMPProtocol
import SimpleXChat
import SimplexJSON
import WireCodec

/// What tests set, such as those of the reference: `scripts/reference-suite`. Not shown by `--help`.
struct TestArguments: ParsableArguments {
  /// Versions as text: `1-16`, or one.
  struct Versions: ExpressibleByArgument {
    var range: WireCodec.VersionRange

    init?(argument: String) {
      let numbers = argument.split(separator: "-", omittingEmptySubsequences: false).map { UInt16($0) }
      guard let first = numbers.first, let low = first, let last = numbers.last, let high = last, numbers.count <= 2,
        let range = WireCodec.VersionRange(low, high)
      else { return nil }
      self.range = range
    }
  }

  /// The fixed decision about everybody who asks to join a group by its link.
  enum Joining: String, ExpressibleByArgument {
    /// Accepted as an observer whom the host has to approve.
    case approval
    /// Rejected, because of the name.
    case blocked

    var decision: GroupJoinDecision {
      switch self {
      case .approval: .accept(.pending, as: .observer)
      case .blocked: .reject(.blockedName)
      }
    }
  }

  @Option(name: .customLong("chat-versions"), help: .hidden) var chatVersions: Versions?
  @Option(name: .customLong("agent-versions"), help: .hidden) var agentVersions: Versions?
  @Option(name: .customLong("e2e-versions"), help: .hidden) var e2eVersions: Versions?
  @Option(name: .customLong("client-versions"), help: .hidden) var clientVersions: Versions?
  @Option(name: .customLong("smp-versions"), help: .hidden) var smpVersions: Versions?
  // Times are in milliseconds.
  @Option(name: .customLong("retry-interval"), help: .hidden) var retryInterval: Int64?
  @Option(name: .customLong("message-timeout"), help: .hidden) var messageTimeout: Int64?
  @Option(name: .customLong("quota-timeout"), help: .hidden) var quotaTimeout: Int64?
  @Option(name: .customLong("expiry-interval"), help: .hidden) var expiryInterval: Int64?
  @Option(name: .customLong("short-link-servers"), help: .hidden) var shortLinkServers: String?
  @Option(name: .customLong("profile"), help: .hidden) var profile: String?
  @Option(name: .customLong("joining"), help: .hidden) var joining: Joining?
  @Option(name: .customLong("description-part"), help: .hidden) var descriptionPart: Int?
  // The group, port and interface of the announcements of desktops, such as 239.255.42.98:35228:lo.
  @Option(name: .customLong("multicast"), help: .hidden) var multicast: String?
  @Flag(name: .customLong("echo"), help: .hidden) var echoesInput = false
  // Prints what the reference's own view for tests prints, for its suite: data of links, chats as tuples, codes alone.
  @Flag(name: .customLong("test-view"), help: .hidden) var isTestView = false
  // With it, also tells of receipts.
  @Flag(name: .customLong("test-receipts"), help: .hidden) var showsReceipts = false

  /// What the options say of the core; throws where a version is unknown or an address makes no sense.
  private func changed(_ core: ChatOptions) throws -> ChatOptions {
    var core = core
    func known(_ versions: Versions?, in range: inout WireCodec.VersionRange, option: String) throws {
      guard let versions else { return }
      guard let common = range.intersection(versions.range) else {
        throw ValidationError("\(option) has no version of \(range.lowest) to \(range.highest)")
      }
      range = common
    }
    try known(chatVersions, in: &core.chatVersions, option: "--chat-versions")
    try known(agentVersions, in: &core.agent.agentVersions, option: "--agent-versions")
    try known(e2eVersions, in: &core.agent.e2eVersions, option: "--e2e-versions")
    try known(clientVersions, in: &core.agent.clientVersions, option: "--client-versions")
    try known(smpVersions, in: &core.network.versions, option: "--smp-versions")
    for time in [retryInterval, messageTimeout, quotaTimeout, expiryInterval] {
      if let time, time < 1 { throw ValidationError("times are at least 1 millisecond") }
    }
    if let retryInterval {
      core.agent.retry = core.agent.retry.beginning(retryInterval)
      core.agent.quotaRetry = core.agent.quotaRetry.beginning(retryInterval)
      core.network.backoff = core.network.backoff.beginning(retryInterval)
    }
    if let messageTimeout { core.agent.messageTimeout = messageTimeout }
    if let quotaTimeout { core.agent.quotaTimeout = quotaTimeout }
    if let expiryInterval { core.cleanupInterval = expiryInterval }
    if let descriptionPart {
      guard descriptionPart > 0 else { throw ValidationError("--description-part is at least 1 character") }
      core.descriptionPartSize = descriptionPart
    }
    if let multicast {
      let parts = multicast.split(separator: ":").map(String.init)
      guard parts.count == 3, let port = UInt16(parts[1]) else {
        throw ValidationError("--multicast is GROUP:PORT:INTERFACE")
      }
      core.announce(inGroup: parts[0], port: port, interface: parts[2])
    }
    if let decision = joining?.decision { core.decideAboutJoining = { _, _, _ in decision } }
    if let shortLinkServers {
      core.shortLinkServers = try shortLinkServers.split(separator: " ").map { text in
        guard (try? SMPServerAddress.textCodec.decode(text: String(text))) != nil else {
          throw ValidationError("--short-link-servers are addresses separated by spaces")
        }
        return String(text)
      }
    }
    return core
  }

  private func newProfile() throws -> Profile? {
    guard let profile else { return nil }
    guard let profile = try? Profile(jsonText: profile) else { throw ValidationError("--profile is JSON") }
    return profile
  }

  func validate() throws {
    _ = try changed(ChatOptions(databasePrefix: ""))
    _ = try newProfile()
  }

  func apply(to options: inout TerminalOptions) {
    options.adjustCore = { core in
      // Validated before.
      if let changed = try? changed(core) { core = changed }
    }
    options.newProfile = (try? newProfile()) ?? options.newProfile
    options.session.echoesInput = echoesInput
    options.session.isTestView = isTestView
    options.session.showsReceipts = showsReceipts
  }
}

extension Backoff.Policy {
  /// The same with another first wait.
  fileprivate func beginning(_ initial: Int64) -> Self {
    Self(initial: initial, limit: max(limit, initial))
  }
}
