extension ChatCommand {
  /// The command for logs: passwords, passphrases, file keys and server passwords are replaced by `***`.
  ///
  /// Of a text that is not a command only the first word stays. Links stay: they are needed to diagnose faults.
  public var obfuscated: ChatCommand {
    switch self {
    case .apiSetActiveUser(let userId, let password):
      .apiSetActiveUser(userId: userId, viewPwd: password.map(hidden))
    case .apiHideUser(let userId, let password): .apiHideUser(userId: userId, viewPwd: hidden(password))
    case .apiUnhideUser(let userId, let password): .apiUnhideUser(userId: userId, viewPwd: hidden(password))
    case .apiDeleteUser(let userId, let deleteQueues, let password):
      .apiDeleteUser(userId: userId, delSMPQueues: deleteQueues, viewPwd: password.map(hidden))
    case .apiStorageEncryption(let config): .apiStorageEncryption(config: hidden(config))
    case .testStorageEncryption(let key): .testStorageEncryption(key: hidden(key))
    case .apiSendMessages(let type, let id, let scope, let asGroup, let live, let ttl, let sign, let messages):
      .apiSendMessages(
        type: type, id: id, scope: scope, sendAsGroup: asGroup, live: live, ttl: ttl, signMessages: sign,
        composedMessages: messages.map(hidden))
    case .apiCreateChatItems(let folder, let messages):
      .apiCreateChatItems(noteFolderId: folder, composedMessages: messages.map(hidden))
    case .apiUploadStandaloneFile(let userId, let file):
      .apiUploadStandaloneFile(userId: userId, file: hidden(file))
    case .apiDownloadStandaloneFile(let userId, let url, let file):
      .apiDownloadStandaloneFile(userId: userId, url: url, file: hidden(file))
    case .reconnectServer(let userId, let server): .reconnectServer(userId: userId, smpServer: hiddenAuth(server))
    case .apiTestProtoServer(let userId, let server):
      .apiTestProtoServer(userId: userId, server: hiddenAuth(server))
    case .apiSetUserServers(let userId, let servers):
      .apiSetUserServers(userId: userId, userServers: servers.map(hidden))
    case .apiValidateServers(let userId, let servers):
      .apiValidateServers(userId: userId, userServers: servers.map(hidden))
    case .terminal(let command): .terminal(command.obfuscated)
    case .string(let text): obfuscated(text)
    default: self
    }
  }

  private func obfuscated(_ text: String) -> ChatCommand {
    if let command = try? ChatCommand(parsing: text) { return .string(command.obfuscated.cmdString) }
    let word = text.prefix { !$0.isWhitespace }
    return .string(word.count == text.count ? text : "\(word) ***")
  }
}

extension TerminalCommand {
  /// The command for logs, see ``ChatCommand/obfuscated``.
  var obfuscated: TerminalCommand {
    switch self {
    case .setActiveUser(let name, let password): .setActiveUser(name: name, viewPwd: password.map(hidden))
    case .deleteUser(let name, let password): .deleteUser(name: name, viewPwd: password.map(hidden))
    case .hideUser(let password): .hideUser(viewPwd: hidden(password))
    case .unhideUser(let password): .unhideUser(viewPwd: hidden(password))
    case .sendFile(let chat, let file): .sendFile(chat: chat, file: hidden(file))
    case .sendImage(let chat, let file): .sendImage(chat: chat, file: hidden(file))
    case .setUserProtoServers(let serverProtocol, let servers):
      .setUserProtoServers(serverProtocol: serverProtocol, servers: servers.map(hiddenAuth))
    case .testProtoServer(let server): .testProtoServer(server: hiddenAuth(server))
    default: self
    }
  }
}

private func hidden(_ secret: String) -> String { secret.isEmpty ? "" : "***" }

private func hidden(_ config: DBEncryptionConfig) -> DBEncryptionConfig {
  DBEncryptionConfig(currentKey: hidden(config.currentKey), newKey: hidden(config.newKey), keepKey: config.keepKey)
}

private func hidden(_ file: CryptoFile) -> CryptoFile {
  var file = file
  if file.cryptoArgs != nil { file.cryptoArgs = CryptoFileArgs(fileKey: "***", fileNonce: "***") }
  return file
}

private func hidden(_ message: ComposedMessage) -> ComposedMessage {
  var message = message
  message.fileSource = message.fileSource.map(hidden)
  return message
}

private func hidden(_ servers: UserOperatorServers) -> UserOperatorServers {
  var servers = servers
  for index in servers.smpServers.indices {
    servers.smpServers[index].server = hiddenAuth(servers.smpServers[index].server)
  }
  for index in servers.xftpServers.indices {
    servers.xftpServers[index].server = hiddenAuth(servers.xftpServers[index].server)
  }
  return servers
}

private func hiddenAuth(_ server: String) -> String {
  guard var address = try? ServerAddress(parsing: server), !address.basicAuth.isEmpty else { return server }
  address.basicAuth = "***"
  return address.uri
}
