import SimplexJSON

/// The program, its databases and other devices.
enum SystemTerminalCommands: CommandCategory {
  static func declare(in commands: inout CommandDeclarations) {
    declareProgram(in: &commands)
    declareDevices(in: &commands)
  }

  private static func declareProgram(in commands: inout CommandDeclarations) {
    for (section, keywords) in helpKeywords {
      commands.terminal(
        "chatHelp", keywords[0], or: Array(keywords.dropFirst()),
        make: { .chatHelp(section: section) }, match: { if case .chatHelp(section) = $0 { () } else { nil } })
    }
    commands.terminal(
      "welcome", "/welcome", or: ["/w"],
      make: { .welcome }, match: { if case .welcome = $0 { () } else { nil } })
    commands.terminal(
      "quitChat", "/quit", or: ["/q", "/exit"], remotely: .local,
      make: { .quitChat }, match: { if case .quitChat = $0 { () } else { nil } })
    commands.terminal(
      "exportArchive", "/db export", remotely: .local,
      make: { .exportArchive }, match: { if case .exportArchive = $0 { () } else { nil } })
    commands.terminal(
      "slowSQLQueries", "/sql slow", remotely: .local,
      make: { .slowSQLQueries }, match: { if case .slowSQLQueries = $0 { () } else { nil } })
    commands.terminal(
      "execChatStoreSQL", "/sql chat ", remotely: .local, text("query"),
      make: TerminalCommand.execChatStoreSQL,
      match: { if case .execChatStoreSQL(let query) = $0 { query } else { nil } })
    commands.terminal(
      "execAgentStoreSQL", "/sql agent ", remotely: .local, text("query"),
      make: TerminalCommand.execAgentStoreSQL,
      match: { if case .execAgentStoreSQL(let query) = $0 { query } else { nil } })
    commands.terminal(
      "setTempFolder", "/_temp_folder ", remotely: .local, text("path"),
      make: TerminalCommand.setTempFolder,
      match: { if case .setTempFolder(let path) = $0 { path } else { nil } })
    commands.terminal(
      "setFilesFolder", "/_files_folder ", or: ["/files_folder "], remotely: .local, text("path"),
      make: TerminalCommand.setFilesFolder,
      match: { if case .setFilesFolder(let path) = $0 { path } else { nil } })
    commands.terminal(
      "setRemoteHostsFolder", "/remote_hosts_folder ", remotely: .local, text("path"),
      make: TerminalCommand.setRemoteHostsFolder,
      match: { if case .setRemoteHostsFolder(let path) = $0 { path } else { nil } })
    commands.terminal(
      "listRemoteHosts", "/list remote hosts", remotely: .local,
      make: { .listRemoteHosts }, match: { if case .listRemoteHosts = $0 { () } else { nil } })
    commands.terminal(
      "switchRemoteHost", "/switch remote host ", remotely: .local, id("hostId").orWord("local"),
      make: TerminalCommand.switchRemoteHost,
      match: { if case .switchRemoteHost(let hostId) = $0 { .some(hostId) } else { nil } })
  }

  private static func declareDevices(in commands: inout CommandDeclarations) {
    commands.terminal(
      "startRemoteHost", "/start remote host ", remotely: .local, remoteHostStart, controllerAddress.optional(),
      number("port").optional(after: " port="),
      make: TerminalCommand.startRemoteHost,
      match: { if case .startRemoteHost(let host, let address, let port) = $0 { (host, address, port) } else { nil } })
    commands.terminal(
      "stopRemoteHost", "/stop remote host ", remotely: .local, id("hostId").orWord("new"),
      make: TerminalCommand.stopRemoteHost,
      match: { if case .stopRemoteHost(let hostId) = $0 { .some(hostId) } else { nil } })
    commands.terminal(
      "deleteRemoteHost", "/delete remote host ", remotely: .local, id("hostId"),
      make: TerminalCommand.deleteRemoteHost,
      match: { if case .deleteRemoteHost(let hostId) = $0 { hostId } else { nil } })
    commands.terminal(
      "storeRemoteFile", "/store remote file ", remotely: .local, id("hostId"), onOff.optional(after: " encrypt="),
      text("path").after(" "),
      make: TerminalCommand.storeRemoteFile,
      match: {
        if case .storeRemoteFile(let hostId, let encrypt, let path) = $0 { (hostId, encrypt, path) } else { nil }
      })
    commands.terminal(
      "getRemoteFile", "/get remote file ", remotely: .local, id("hostId"), json(RemoteFile.self).after(" "),
      make: TerminalCommand.getRemoteFile,
      match: { if case .getRemoteFile(let hostId, let file) = $0 { (hostId, file) } else { nil } })
    commands.terminal(
      "debugLocks", "/debug locks",
      make: { .debugLocks }, match: { if case .debugLocks = $0 { () } else { nil } })
    commands.terminal(
      "debugEvent", "/debug event ", json(JSONValue.self),
      make: TerminalCommand.debugEvent,
      match: { if case .debugEvent(let event) = $0 { event } else { nil } })
    commands.terminal(
      "getAgentSubs", "/get subs",
      make: { .getAgentSubs }, match: { if case .getAgentSubs = $0 { () } else { nil } })
    commands.terminal(
      "getAgentSubsDetails", "/get subs details",
      make: { .getAgentSubsDetails }, match: { if case .getAgentSubsDetails = $0 { () } else { nil } })
    commands.terminal(
      "getAgentWorkers", "/get workers",
      make: { .getAgentWorkers }, match: { if case .getAgentWorkers = $0 { () } else { nil } })
    commands.terminal(
      "getAgentWorkersDetails", "/get workers details",
      make: { .getAgentWorkersDetails }, match: { if case .getAgentWorkersDetails = $0 { () } else { nil } })
    commands.terminal(
      "getAgentQueuesInfo", "/get queues",
      make: { .getAgentQueuesInfo }, match: { if case .getAgentQueuesInfo = $0 { () } else { nil } })
    commands.terminal(
      "custom", "//", text("text"),
      make: TerminalCommand.custom,
      match: { if case .custom(let text) = $0 { text } else { nil } })
  }

  private static let helpKeywords: [(HelpSection, [String])] = [
    (.main, ["/help", "/h"]), (.files, ["/help files", "/help file", "/hf"]),
    (.groups, ["/help groups", "/help group", "/hg"]), (.contacts, ["/help contacts", "/help contact", "/hc"]),
    (.myAddress, ["/help address", "/ha"]),
    (.incognito, ["/help incognito", "/hi", "/incognito", "/incognito on", "/incognito off"]),
    (.markdown, ["/markdown", "/m"]), (.messages, ["/help messages", "/hm"]), (.remote, ["/help remote", "/hr"]),
    (.settings, ["/help settings", "/hs"]), (.database, ["/help db", "/hd"]),
  ]
}
