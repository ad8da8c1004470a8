import ChatAPI
import ChatLogic
import SimplexJSON
import SimplexTesting
import Testing

/// Servers, proxies and settings.
@Suite struct ServerTests {
  private func server(_ host: String, enabled: Bool = true, deleted: Bool = false) -> UserServer {
    UserServer(server: "smp://key@\(host)", preset: false, enabled: enabled, deleted: deleted)
  }

  private func xftp(_ host: String) -> UserServer {
    UserServer(server: "xftp://key@\(host)", preset: false, enabled: true, deleted: false)
  }

  private func group(_ smp: [UserServer], _ operator: ServerOperator? = nil) -> UserOperatorServers {
    UserOperatorServers(operator: `operator`, smpServers: smp, xftpServers: [xftp("files")], chatRelays: [])
  }

  private let preset = PresetServers.standard.groups.compactMap(\.operator)

  @Test func hostsAreFound() {
    #expect(UserServerRules.hosts("smp://key:password@one.example,two.onion:5223") == ["one.example", "two.onion"])
    #expect(UserServerRules.hosts("nothing") == [])
    #expect(UserServerRules.hosts("smp://a@b@c/path") == ["c"])
  }

  @Test func serversAreOfTheirOperators() {
    let groups = UserServerRules.grouped(
      operators: preset, smp: [server("smp8.simplex.im"), server("evilsimplex.im"), server("smp1.simplexonflux.com")],
      xftp: [], relays: [])
    #expect(groups.map(\.smpServers.count) == [1, 1, 1])
    #expect(groups.last?.smpServers.first?.server.hasSuffix("evilsimplex.im") == true)
  }

  @Test func whatIsMissingIsAnError() {
    #expect(UserServerRules.errors([group([server("a")])], others: []).isEmpty)
    #expect(
      UserServerRules.errors([group([server("a", enabled: false), server("b", deleted: true)])], others: [])
        == [.noServers(protocol: .smp, user: nil)])
    var forwarding = preset[1]
    forwarding.enabled = true
    #expect(
      UserServerRules.errors([group([server("a")], forwarding)], others: [])
        .contains(.storageMissing(protocol: .smp, user: nil)))
    let twice = UserServerRules.errors([group([server("a"), server("a,b"), server("c")])], others: [])
    #expect(twice.count == 2)
  }

  @Test func operatorsThatAreOffAreNotUsed() {
    var off = preset[0]
    off.enabled = false
    let used = UserServerRules.used([group([server("a")], off), group([server("b"), server("c", enabled: false)])])
    #expect(used.map(\.server) == ["smp://key@b"])
  }

  @Test func newUsersGetSomeOfThePresets() {
    var random = SeededGenerator(seed: 1)
    let groups = PresetServers.standard.forNewUser(operators: preset, using: &random)
    for (group, preset) in zip(groups, PresetServers.standard.groups) {
      #expect(group.smpServers.count == preset.smpServers.count)
      #expect(group.smpServers.count(where: \.enabled) == preset.smpCount)
      #expect(group.xftpServers.count(where: \.enabled) == preset.xftpCount)
    }
    let own = PresetServers.standard.replaced(smp: ["smp://key@mine"], xftp: [])
    #expect(own.groups.flatMap(\.smpServers) == ["smp://key@mine"])
    #expect(own.groups.flatMap(\.xftpServers) == PresetServers.standard.groups.flatMap(\.xftpServers))
  }

  @Test(arguments: [
    (":9050", "127.0.0.1", 9050), ("127.0.0.1", "127.0.0.1", 9050), ("10.0.0.1:1080", "10.0.0.1", 1080),
    ("[::1]:1080", "::1", 1080), ("", "127.0.0.1", 9050), ("@10.0.0.1", "10.0.0.1", 9050),
    ("name:word@10.0.0.1:1", "10.0.0.1", 1),
  ]) func proxiesAreRead(_ text: String, _ host: String, _ port: UInt16) {
    let proxy = SOCKSProxyAddress(text)
    #expect(proxy?.host == host)
    #expect(proxy?.port == port)
  }

  @Test func proxiesAreShownNames() {
    #expect(SOCKSProxyAddress("10.0.0.1")?.authentication == .perSession)
    #expect(SOCKSProxyAddress("@10.0.0.1")?.authentication == SOCKSProxyAddress.Authentication.none)
    #expect(
      SOCKSProxyAddress("name:wo:rd@10.0.0.1")?.authentication == .password(username: "name", password: "wo:rd"))
  }

  @Test(arguments: [
    "localhost", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.4:", "1.2.3.4:0", "1.2.3.4:65536", "1.2.3.4:x", "[::1",
    "[1.2.3.4]", "[::1]1", "a@1.2.3.4", "1.2.3.4:１",
  ]) func otherTextsAreNoProxies(_ text: String) { #expect(SOCKSProxyAddress(text) == nil) }

  @Test func typedNetworkOptionsAreTaken() {
    var options = NetworkOptions(socksProxy: "on")
    options.timeout = 4
    let changed = NetCfg.standard.changed(by: options)
    #expect(changed.socksProxy == ":9050")
    #expect(changed.tcpTimeout == NetworkTimeout(backgroundTimeout: 12_000_000, interactiveTimeout: 4_000_000))
    #expect(changed.tcpConnectTimeout.interactiveTimeout == 6_000_000)
    options.timeout = .max
    #expect(NetCfg.standard.changed(by: options).tcpTimeout == NetCfg.standard.tcpTimeout)
  }

  @Test func savedSettingsCountFirst() {
    var saved = AppSettings()
    saved.developerTools = true
    var platform = AppSettings()
    platform.developerTools = false
    platform.privacyLinkPreviews = false
    let combined = AppSettings.combined(saved: saved, platform: platform)
    #expect(combined.developerTools == true)
    #expect(combined.privacyLinkPreviews == false)
    #expect(combined.oneHandUI == AppSettings.standard.oneHandUI)
    #expect(AppSettings.combined(saved: nil, platform: nil) == .standard)
  }

  @Test func standardSettingsAreThoseOfTheReference() {
    let settings = AppSettings.standard
    #expect(settings.uiColorScheme == "SYSTEM")
    #expect(settings.uiDarkColorScheme == "SIMPLEX")
    #expect(settings.privacySanitizeLinks == false)
    #expect(settings.jsonText().contains(#""privacyLinkPreviews":true,"privacySanitizeLinks":false"#))
  }

  @Test func operatorsHaveTheRolesOfTheReference() {
    #expect(preset[0].smpRoles == .all)
    #expect(preset[0].xftpRoles == .all)
    #expect(preset[1].smpRoles == ServerRoles(storage: false, proxy: true, names: true))
    #expect(preset[1].xftpRoles == .all)
  }
}
