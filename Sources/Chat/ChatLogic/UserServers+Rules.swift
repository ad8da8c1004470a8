import ChatAPI

/// Rules for a user's choice of servers.
public enum UserServerRules {
  /// Servers grouped by the operators whose domains they are in; servers without an operator are last.
  public static func grouped(
    operators: [ServerOperator], smp: [UserServer], xftp: [UserServer], relays: [UserChatRelay]
  ) -> [UserOperatorServers] {
    var groups = operators.map {
      UserOperatorServers(operator: $0, smpServers: [], xftpServers: [], chatRelays: [])
    }
    groups.append(UserOperatorServers(operator: nil, smpServers: [], xftpServers: [], chatRelays: []))
    func group(_ hosts: [String]) -> Int {
      operators.firstIndex { isOperated($0, hosts) } ?? operators.count
    }
    for server in smp { groups[group(hosts(server.server))].smpServers.append(server) }
    for server in xftp { groups[group(hosts(server.server))].xftpServers.append(server) }
    for relay in relays { groups[group(relay.domains)].chatRelays.append(relay) }
    return groups
  }

  /// The user's relays that are used, with their roles.
  public static func used(
    _ groups: [UserOperatorServers]
  ) -> [(server: String, storage: Bool, proxy: Bool)] {
    groups.flatMap { group in
      let isOn = group.operator?.enabled ?? true
      let roles = group.operator?.smpRoles ?? .all
      return group.smpServers.filter { isOn && $0.enabled && !$0.deleted }
        .map { (server: $0.server, storage: roles.storage, proxy: roles.proxy) }
    }
  }

  /// The user's file servers that are known: those of operators that are enabled, and the user's own. Files are
  /// uploaded to those with storage.
  public static func fileServers(_ groups: [UserOperatorServers]) -> [(server: String, storage: Bool)] {
    groups.flatMap { group in
      let isOn = group.operator?.enabled ?? true
      let roles = group.operator?.xftpRoles ?? .all
      return group.xftpServers.filter { isOn && !$0.deleted }
        .map { (server: $0.server, storage: $0.enabled && roles.storage) }
    }
  }

  /// The servers of one kind, with their operators.
  public static func only(_ kind: ServerProtocol, of groups: [UserOperatorServers]) -> [UserOperatorServers] {
    groups.map { group in
      UserOperatorServers(
        operator: group.operator, smpServers: kind == .smp ? group.smpServers : [],
        xftpServers: kind == .xftp ? group.xftpServers : [], chatRelays: [])
    }
  }

  /// The user's choice where these addresses replace all servers of a kind: preset ones are turned off, others deleted.
  public static func replacing(
    _ kind: ServerProtocol, of groups: [UserOperatorServers], with addresses: [String]
  ) -> [UserOperatorServers] {
    func replaced(_ servers: [UserServer], _ serverOperator: ServerOperator?) -> [UserServer] {
      let old = servers.map { server in
        var server = server
        if server.preset { server.enabled = false } else { server.deleted = true }
        return server
      }
      guard serverOperator == nil else { return old }
      return old + addresses.map { UserServer(server: $0, preset: false, enabled: true, deleted: false) }
    }
    return groups.map { group in
      var group = group
      switch kind {
      case .smp: group.smpServers = replaced(group.smpServers, group.operator)
      case .xftp: group.xftpServers = replaced(group.xftpServers, group.operator)
      case .ntf: break
      }
      return group
    }
  }

  /// The errors in a user's servers, given those of the other users.
  public static func errors(
    _ groups: [UserOperatorServers], others: [(user: User, groups: [UserOperatorServers])]
  ) -> [UserServersError] {
    var errors = missing(groups, user: nil)
    errors += duplicates(.smp, groups.flatMap(\.smpServers)) + duplicates(.xftp, groups.flatMap(\.xftpServers))
    errors += duplicateRelays(groups.flatMap(\.chatRelays))
    for other in others { errors += missing(other.groups, user: other.user) }
    return errors
  }

  private static func missing(_ groups: [UserOperatorServers], user: User?) -> [UserServersError] {
    missing(.smp, in: groups.map { ($0.operator, $0.operator?.smpRoles, $0.smpServers) }, of: user)
      + missing(.xftp, in: groups.map { ($0.operator, $0.operator?.xftpRoles, $0.xftpServers) }, of: user)
  }

  private static func missing(
    _ serverProtocol: ServerProtocol, in groups: [(ServerOperator?, ServerRoles?, [UserServer])], of user: User?
  ) -> [UserServersError] {
    func isEmpty(_ hasRole: (ServerRoles) -> Bool) -> Bool {
      !groups.contains { serverOperator, roles, servers in
        (serverOperator?.enabled ?? true) && (roles.map(hasRole) ?? true)
          && servers.contains { $0.enabled && !$0.deleted }
      }
    }
    if isEmpty({ _ in true }) { return [.noServers(protocol: serverProtocol, user: user)] }
    var errors: [UserServersError] = []
    if isEmpty(\.storage) { errors.append(.storageMissing(protocol: serverProtocol, user: user)) }
    if isEmpty(\.proxy) { errors.append(.proxyMissing(protocol: serverProtocol, user: user)) }
    return errors
  }

  private static func duplicates(_ serverProtocol: ServerProtocol, _ servers: [UserServer]) -> [UserServersError] {
    let servers = servers.filter { !$0.deleted }
    var counts: [String: Int] = [:]
    for server in servers { for host in Set(hosts(server.server)) { counts[host, default: 0] += 1 } }
    return servers.compactMap { server in
      hosts(server.server).first { counts[$0, default: 0] > 1 }
        .map {
          .duplicateServer(protocol: serverProtocol, duplicateServer: server.server, duplicateHost: $0)
        }
    }
  }

  private static func duplicateRelays(_ relays: [UserChatRelay]) -> [UserServersError] {
    let relays = relays.filter { !$0.deleted }
    var counts: [String: Int] = [:]
    for relay in relays { counts[relay.address, default: 0] += 1 }
    return relays.filter { counts[$0.address, default: 0] > 1 }
      .map {
        .duplicateChatRelayAddress(
          duplicateChatRelay: $0.relayProfile.displayName, duplicateAddress: $0.address)
      }
  }

  /// The warnings about a user's servers.
  public static func warnings(
    _ groups: [UserOperatorServers], others: [(user: User, groups: [UserOperatorServers])]
  ) -> [UserServersWarning] {
    func hasRelay(_ groups: [UserOperatorServers]) -> Bool {
      groups.contains { group in
        (group.operator?.enabled ?? true) && group.chatRelays.contains { $0.enabled && !$0.deleted }
      }
    }
    var warnings: [UserServersWarning] = hasRelay(groups) ? [] : [.noChatRelays(user: nil)]
    warnings += others.filter { !hasRelay($0.groups) }.map { .noChatRelays(user: $0.user) }
    return warnings
  }

  /// The host names of an address `<scheme>://<key>@<host>[,<host>…][:<port>]`.
  public static func hosts(_ address: String) -> [String] {
    guard let at = address.lastIndex(of: "@") else { return [] }
    let rest = address[address.index(after: at)...].prefix { $0 != "/" && $0 != "#" && $0 != "?" }
    return rest.split(separator: ",").map { String($0.prefix { $0 != ":" }) }
  }

  private static func isOperated(_ serverOperator: ServerOperator, _ hosts: [String]) -> Bool {
    serverOperator.serverDomains.contains { domain in
      hosts.contains { $0 == domain || $0.hasSuffix("." + domain) }
    }
  }
}
