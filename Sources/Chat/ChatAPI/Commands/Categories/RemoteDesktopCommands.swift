/// Being controlled by a desktop app (specification section 2.14).
enum RemoteDesktopCommands: CommandCategory {
  static func declare(in commands: inout CommandDeclarations) {
    commands.command(
      "setLocalDeviceName", "/set device name ", remotely: .local,
      text("name"),
      make: ChatCommand.setLocalDeviceName,
      match: { if case .setLocalDeviceName(let displayName) = $0 { displayName } else { nil } })
    commands.command(
      "connectRemoteCtrl", "/connect remote ctrl ", or: ["/crc "], remotely: .local,
      word("invitation"),
      make: ChatCommand.connectRemoteCtrl,
      match: { if case .connectRemoteCtrl(let xrcpInvitation) = $0 { xrcpInvitation } else { nil } })
    commands.command(
      "findKnownRemoteCtrl", "/find remote ctrl", remotely: .local,
      make: { .findKnownRemoteCtrl }, match: { if case .findKnownRemoteCtrl = $0 { () } else { nil } })
    commands.command(
      "confirmRemoteCtrl", "/confirm remote ctrl ", remotely: .local,
      id("remoteCtrlId"),
      make: ChatCommand.confirmRemoteCtrl,
      match: { if case .confirmRemoteCtrl(let remoteCtrlId) = $0 { remoteCtrlId } else { nil } })
    commands.command(
      "verifyRemoteCtrlSession", "/verify remote ctrl ", remotely: .local,
      text("session code"),
      make: ChatCommand.verifyRemoteCtrlSession,
      match: { if case .verifyRemoteCtrlSession(let sessionCode) = $0 { sessionCode } else { nil } })
    commands.command(
      "listRemoteCtrls", "/list remote ctrls", remotely: .local,
      make: { .listRemoteCtrls }, match: { if case .listRemoteCtrls = $0 { () } else { nil } })
    commands.command(
      "stopRemoteCtrl", "/stop remote ctrl", remotely: .local,
      make: { .stopRemoteCtrl }, match: { if case .stopRemoteCtrl = $0 { () } else { nil } })
    commands.command(
      "deleteRemoteCtrl", "/delete remote ctrl ", remotely: .local,
      id("remoteCtrlId"),
      make: ChatCommand.deleteRemoteCtrl,
      match: { if case .deleteRemoteCtrl(let remoteCtrlId) = $0 { remoteCtrlId } else { nil } })
  }
}
