/// Starting, stopping and suspending the chat core (specification section 2.2).
enum LifecycleCommands: CommandCategory {
  static func declare(in commands: inout CommandDeclarations) {
    commands.command(
      "startChat", "/_start", remotely: .local,
      startOptions,
      make: { .startChat(mainApp: $0.mainApp, enableSndFiles: $0.enableSndFiles) },
      match: {
        guard case .startChat(let mainApp, let enableSndFiles) = $0 else { return nil }
        return StartOptions(mainApp: mainApp, enableSndFiles: enableSndFiles)
      })
    commands.command(
      "checkChatRunning", "/_check running",
      make: { .checkChatRunning }, match: { if case .checkChatRunning = $0 { () } else { nil } })
    commands.command(
      "apiStopChat", "/_stop", remotely: .local,
      make: { .apiStopChat }, match: { if case .apiStopChat = $0 { () } else { nil } })
    commands.command(
      "apiActivateChat", "/_app activate", remotely: .local,
      flag(" restore=", default: true),
      make: ChatCommand.apiActivateChat,
      match: { if case .apiActivateChat(let restoreChat) = $0 { restoreChat } else { nil } })
    commands.command(
      "apiSuspendChat", "/_app suspend ", remotely: .local,
      number("timeout in microseconds"),
      make: ChatCommand.apiSuspendChat,
      match: { if case .apiSuspendChat(let timeoutMicroseconds) = $0 { timeoutMicroseconds } else { nil } })
    commands.command(
      "apiSetAppFilePaths", "/set file paths ", remotely: .refused,
      json(AppFilePathsConfig.self),
      make: {
        .apiSetAppFilePaths(
          filesFolder: $0.appFilesFolder, tempFolder: $0.appTempFolder, assetsFolder: $0.appAssetsFolder,
          remoteHostsFolder: $0.appRemoteHostsFolder)
      },
      match: {
        guard case .apiSetAppFilePaths(let files, let temp, let assets, let remoteHosts) = $0 else { return nil }
        return AppFilePathsConfig(
          appFilesFolder: files, appTempFolder: temp, appAssetsFolder: assets, appRemoteHostsFolder: remoteHosts)
      })
    commands.command(
      "apiSetEncryptLocalFiles", "/_files_encrypt ", remotely: .local,
      onOff,
      make: ChatCommand.apiSetEncryptLocalFiles,
      match: { if case .apiSetEncryptLocalFiles(let enable) = $0 { enable } else { nil } })
  }
}
