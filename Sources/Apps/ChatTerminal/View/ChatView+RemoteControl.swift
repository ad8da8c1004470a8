import ChatAPI

// Desktops that control this device, and mobile devices that it controls.

extension ChatView {
  /// The lines of a response about remote control; nil for others.
  func remoteLines(_ response: ChatResponse2) -> [StyledText]? {
    switch response {
    case .remoteCtrlList(let desktops):
      return desktops.isEmpty ? ["No remote controllers"] : remoteControllers(desktops)
    case .remoteCtrlConnecting(let desktop, let info, let version):
      let device = desktop.map { "\($0.remoteCtrlId). \($0.ctrlDeviceName)" } ?? "new remote controller"
      return [
        StyledText("\(device) (v\(info.appVersionRange.maxVersion)) connecting, this device v\(version)")
      ]
    case .remoteCtrlConnected(let desktop, let isCompressing):
      return [
        StyledText("remote controller \(desktop.remoteCtrlId) session started with \(desktop.ctrlDeviceName)")
      ] + (isCompressing ? ["compression is on"] : [])
    default: return nil
    }
  }

  /// The lines of a response about mobile devices; nil for others.
  func remoteLines(_ response: ChatResponse3) -> [StyledText]? {
    switch response {
    case .remoteHostList(let hosts):
      return hosts.isEmpty ? ["No remote hosts"] : ["Remote hosts:"] + hosts.map { StyledText(text($0)) }
    case .currentRemoteHost(nil): return ["Using local profile"]
    case .currentRemoteHost(let host?):
      return [StyledText("Using remote host \(host.remoteHostId) (\(host.hostDeviceName))")]
    case .remoteHostStarted(let host, let invitation, let port, let addresses):
      let device = host.map { "remote host \($0.remoteHostId)" } ?? "new remote host"
      return [
        StyledText("\(device) started on \(addresses.first?.address ?? ""):\(port)"), "Remote session invitation:",
        StyledText(invitation),
      ]
    case .remoteFileStored(let host, let file):
      return [StyledText("file \(file.filePath) stored on remote host \(host)")]
    default: return nil
    }
  }

  /// The lines of an event of a session; nil for other events.
  func remoteLines(_ event: ChatEvent) -> [StyledText]? {
    switch event {
    case .remoteCtrlFound(let desktop, let info, _, let isCompatible):
      let version = info.map { " v\($0.appVersionRange.maxVersion)" } ?? ""
      return [
        StyledText("remote controller \(desktop.remoteCtrlId) found: \(desktop.ctrlDeviceName)\(version)"),
        isCompatible
          ? StyledText("use /confirm remote ctrl \(desktop.remoteCtrlId) to connect")
          : "its version is not compatible",
      ]
    case .remoteCtrlSessionCode(let desktop, let code):
      let device = desktop.map { "remote controller \($0.remoteCtrlId)" } ?? "new remote controller"
      return [
        StyledText("\(device) connected"), "Compare session code with controller and use:",
        StyledText("/verify remote ctrl \(code)"),
      ]
    case .remoteCtrlStopped(_, let reason): return [StyledText("remote controller stopped\(text(reason))")]
    case .remoteHostSessionCode(let host, let code):
      let device = host.map { "remote host \($0.remoteHostId)" } ?? "new remote host"
      return [StyledText("\(device) connecting"), "Compare session code with host:", StyledText(code)]
    case .newRemoteHost(let host):
      return [StyledText("new remote host \(host.remoteHostId) added: \(host.hostDeviceName)")]
    case .remoteHostConnected(let host, let isCompressing):
      return [StyledText("remote host \(host.remoteHostId) connected")] + (isCompressing ? ["compression is on"] : [])
    case .remoteHostStopped(let id, _, let reason):
      return [StyledText("\(id.map { "remote host \($0)" } ?? "new remote host") stopped\(text(reason))")]
    default: return nil
    }
  }

  /// How a received file of a mobile device comes to this device; nothing for files of this device.
  func fetching(_ item: AChatItem, of user: User) -> [StyledText] {
    guard let host = remoteHost, let file = item.chatItem.file, let source = file.fileSource else { return [] }
    let reference = RemoteFile(userId: user.userId, fileId: file.fileId, sent: false, fileSource: source)
    return [
      StyledText("File received to connected remote host \(host)"), "To download to this device use:",
      .highlight("/get remote file \(host) \(reference.jsonText())"),
    ]
  }

  private func remoteControllers(_ desktops: [RemoteCtrlInfo]) -> [StyledText] {
    ["Remote controllers:"]
      + desktops.map { desktop in
        let state =
          switch desktop.sessionState {
          case .connected: " (active)"
          case nil: ""
          default: " (connecting)"
          }
        return StyledText("\(desktop.remoteCtrlId). \(desktop.ctrlDeviceName)\(state)")
      }
  }

  private func text(_ host: RemoteHostInfo) -> String {
    let state =
      switch host.sessionState {
      case .connected: " (connected)"
      case nil: ""
      default: " (connecting)"
      }
    let address = host.bindAddress_.map { " \($0.address) (\($0.interface))" } ?? ""
    return "\(host.remoteHostId). \(host.hostDeviceName)\(state)\(address)"
  }

  private func text(_ reason: RemoteCtrlStopReason) -> String {
    switch reason {
    case .discoveryFailed(let error), .connectionFailed(let error), .setupFailed(let error): ": \(error.text)"
    case .disconnected: ": disconnected"
    }
  }

  private func text(_ reason: RemoteHostStopReason) -> String {
    switch reason {
    case .connectionFailed(let error), .crashed(let error): ": \(error.text)"
    case .disconnected: ": disconnected"
    }
  }
}
