/// Operators, servers and conditions of use (specification section 2.12).
enum ServersCommands: CommandCategory {
  static func declare(in commands: inout CommandDeclarations) {
    commands.command(
      "apiGetServerOperators", "/_operators",
      make: { .apiGetServerOperators }, match: { if case .apiGetServerOperators = $0 { () } else { nil } })
    commands.command(
      "apiSetServerOperators", "/_operators ",
      json([ServerOperator].self),
      make: ChatCommand.apiSetServerOperators,
      match: { if case .apiSetServerOperators(let operators) = $0 { operators } else { nil } })
    commands.command(
      "apiGetUserServers", "/_servers ",
      id("userId"),
      make: ChatCommand.apiGetUserServers,
      match: { if case .apiGetUserServers(let userId) = $0 { userId } else { nil } })
    commands.command(
      "apiSetUserServers", "/_servers ",
      id("userId"), operatorServers.after(" "),
      make: ChatCommand.apiSetUserServers,
      match: { if case .apiSetUserServers(let userId, let userServers) = $0 { (userId, userServers) } else { nil } })
    commands.command(
      "apiValidateServers", "/_validate_servers ",
      id("userId"), operatorServers.after(" "),
      make: ChatCommand.apiValidateServers,
      match: { if case .apiValidateServers(let userId, let userServers) = $0 { (userId, userServers) } else { nil } })
    commands.command(
      "apiGetUsageConditions", "/_conditions",
      make: { .apiGetUsageConditions }, match: { if case .apiGetUsageConditions = $0 { () } else { nil } })
    commands.command(
      "apiAcceptConditions", "/_accept_conditions ",
      id("conditionsId"), ids("operatorId").after(" "),
      make: ChatCommand.apiAcceptConditions,
      match: {
        if case .apiAcceptConditions(let conditionsId, let operatorIds) = $0 {
          (conditionsId, operatorIds)
        } else {
          nil
        }
      })
    commands.command(
      "apiTestProtoServer", "/_server test ",
      id("userId"), server("server").after(" "),
      make: ChatCommand.apiTestProtoServer,
      match: { if case .apiTestProtoServer(let userId, let server) = $0 { (userId, server) } else { nil } })
    commands.command(
      "apiSetConditionsNotified", "/_conditions_notified ",
      id("conditionsId"),
      make: ChatCommand.apiSetConditionsNotified,
      match: { if case .apiSetConditionsNotified(let conditionsId) = $0 { conditionsId } else { nil } })
  }

  private static var operatorServers: Argument<[UserOperatorServers]> {
    json([UserOperatorServers].self).secret { operators in
      operators.contains { servers in
        (servers.smpServers + servers.xftpServers).contains { hasPassword($0.server) }
      }
    }
  }
}
