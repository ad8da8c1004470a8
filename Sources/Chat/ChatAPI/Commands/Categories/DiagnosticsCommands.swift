/// Versions and statistics (specification section 2.15).
enum DiagnosticsCommands: CommandCategory {
  static func declare(in commands: inout CommandDeclarations) {
    commands.command(
      "showVersion", "/version", or: ["/v"],
      make: { .showVersion }, match: { if case .showVersion = $0 { () } else { nil } })
    commands.command(
      "getAgentSubsTotal", "/get subs total ",
      id("userId"),
      make: ChatCommand.getAgentSubsTotal,
      match: { if case .getAgentSubsTotal(let userId) = $0 { userId } else { nil } })
    commands.command(
      "getAgentServersSummary", "/get servers summary ",
      id("userId"),
      make: ChatCommand.getAgentServersSummary,
      match: { if case .getAgentServersSummary(let userId) = $0 { userId } else { nil } })
    commands.command(
      "resetAgentServersStats", "/reset servers stats",
      make: { .resetAgentServersStats }, match: { if case .resetAgentServersStats = $0 { () } else { nil } })
    commands.command(
      "showConnectionsDiff", "/_connections diff",
      onOff.omitted(after: " show_ids=", when: false),
      make: ChatCommand.showConnectionsDiff,
      match: { if case .showConnectionsDiff(let showIds) = $0 { showIds } else { nil } })
    commands.command(
      "resubscribeAllConnections", "/_resubscribe all",
      make: { .resubscribeAllConnections }, match: { if case .resubscribeAllConnections = $0 { () } else { nil } })
  }
}
