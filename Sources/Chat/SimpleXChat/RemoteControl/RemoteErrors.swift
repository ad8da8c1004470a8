import ChatAPI
import ChatStore
import RemoteControl
import RemoteControlCore
import RemoteControlProtocol
import SMPProtocol

// Errors of remote control as the API shows them.

extension RCErrorType {
  /// The error with the words of the API.
  init(_ error: RemoteControlError) {
    self =
      switch error {
      case .internal(let text): .internal(internalErr: text)
      case .identity: .identity
      case .noLocalAddress: .noLocalAddress
      case .newController: .newController
      case .notDiscovered: .notDiscovered
      case .tlsStartFailed: .tLSStartFailed
      case .exception(let text): .exception(exception: text)
      case .controllerAuthorization: .ctrlAuth
      case .controllerNotFound: .ctrlNotFound
      case .controllerError(let text): .ctrlError(ctrlErr: text)
      case .invitation: .invitation
      case .version: .version
      case .encrypt: .encrypt
      case .decrypt: .decrypt
      case .blockSize: .blockSize
      case .syntax(let text): .syntax(syntaxErr: text)
      }
  }
}

extension RemoteProtocolError {
  /// The error with the words of the API.
  init(_ error: FrameError) {
    self =
      switch error {
      case .invalidSize: .invalidSize
      case .invalidJSON(let text): .invalidJSON(invalidJSON: text)
      case .invalidBody(let text): .invalidBody(invalidBody: text)
      case .sessionCode: .pRESessionCode
      case .incompatibleEncoding: .incompatibleEncoding
      case .unexpectedFile: .unexpectedFile
      case .noFile: .noFile
      case .fileSize: .fileSize
      case .fileDigest: .fileDigest
      case .manySkippedIDs(let count): .manySkippedIds(count)
      case .earlierID(let count): .pREEarlierId(count)
      case .duplicateID: .pREDuplicateId
      case .unexpectedResponse(let text): .unexpectedResponse(response: text)
      case .storedFileExists: .storedFileExists
      case .remoteControl(let error): .pRERemoteControl(rcError: RCErrorType(error))
      case .http2(let text): .hTTP2(http2Error: text)
      case .exception(let text): .exception(someException: text)
      }
  }
}

extension ChatError {
  /// An error of the session with a desktop.
  init(hostSession error: RemoteSessionError) {
    self =
      switch error {
      case .missing, .inactive: .errorRemoteCtrl(remoteCtrlError: .inactive)
      case .badState: .errorRemoteCtrl(remoteCtrlError: .badState)
      case .busy: .errorRemoteCtrl(remoteCtrlError: .busy)
      case .timeout: .errorRemoteCtrl(remoteCtrlError: .timeout)
      case .noKnownControllers: .errorRemoteCtrl(remoteCtrlError: .noKnownControllers)
      case .badController: .errorRemoteCtrl(remoteCtrlError: .badController)
      case .badInvitation: .errorRemoteCtrl(remoteCtrlError: .badInvitation)
      case .badVersion(let version): .errorRemoteCtrl(remoteCtrlError: .badVersion(appVersion: version.description))
      case .protocolError(let error):
        .errorRemoteCtrl(remoteCtrlError: .protocolError(protocolError: RemoteProtocolError(error)))
      case .control(let error): .errorAgent(agentError: .RCP(rcpErr: RCErrorType(error)))
      }
  }

  /// An error of the session with a mobile device.
  init(controllerSession error: RemoteSessionError, of host: RHKey) {
    func remoteHost(_ error: RemoteHostError) -> ChatError { .errorRemoteHost(rhKey: host, remoteHostError: error) }
    self =
      switch error {
      case .missing: remoteHost(.missing)
      case .inactive: remoteHost(.inactive)
      case .badState, .badController, .noKnownControllers, .badInvitation: remoteHost(.badState)
      case .busy: remoteHost(.busy)
      case .timeout: remoteHost(.timeout)
      case .badVersion(let version): remoteHost(.badVersion(appVersion: version.description))
      case .protocolError(let error): remoteHost(.protocolError(RemoteProtocolError(error)))
      case .control(let error): .errorAgent(agentError: .RCP(rcpErr: RCErrorType(error)))
      }
  }
}

// States and reasons.

extension RemoteCtrlSessionState {
  /// The state with the words of the API.
  init(_ state: HostSessionState) {
    self =
      switch state {
      case .starting: .starting
      case .searching: .searching
      case .connecting: .connecting
      case .pendingConfirmation(let code): .pendingConfirmation(sessionCode: code.description)
      case .connected(let code): .connected(sessionCode: code.description)
      }
  }
}

extension RemoteCtrlStopReason {
  /// The reason with the words of the API.
  init(_ reason: HostStopReason) {
    self =
      switch reason {
      case .discoveryFailed(let error): .discoveryFailed(chatError: ChatError(hostSession: error))
      case .connectionFailed(let error): .connectionFailed(chatError: ChatError(hostSession: error))
      case .setupFailed(let error): .setupFailed(chatError: ChatError(hostSession: error))
      case .disconnected: .disconnected
      }
  }
}

extension CtrlAppInfo {
  /// The application with the words of the API.
  init(_ info: ControllerAppInfo) {
    self.init(
      appVersionRange: AppVersionRange(
        minVersion: info.versions.lowest.description, maxVersion: info.versions.highest.description),
      deviceName: info.deviceName, compression: info.compresses)
  }
}

extension RemoteHostSessionState {
  /// The state with the words of the API.
  init(_ state: ControllerSessionState) {
    self =
      switch state {
      case .starting: .starting
      case .connecting(let invitation): .connecting(invitation: invitation.text)
      case .pendingConfirmation(let code): .pendingConfirmation(sessionCode: code.description)
      case .confirmed(let code): .confirmed(sessionCode: code.description)
      case .connected(let code): .connected(sessionCode: code.description)
      }
  }
}

extension RemoteHostStopReason {
  /// The reason with the words of the API.
  init(_ reason: ControllerStopReason, of host: RHKey) {
    self =
      switch reason {
      case .connectionFailed(let error): .connectionFailed(chatError: ChatError(controllerSession: error, of: host))
      case .crashed(let error): .crashed(chatError: ChatError(controllerSession: error, of: host))
      case .disconnected: .disconnected
      }
  }
}

extension RemoteHostInfo {
  /// A stored mobile device in a state of the session with it.
  init(_ stored: StoredRemoteHost, _ state: RemoteHostSessionState?) {
    self.init(
      remoteHostId: stored.id, hostDeviceName: stored.pairing.host?.name ?? "", storePath: stored.folder,
      bindAddress_: stored.address, bindPort_: stored.pairing.port, sessionState: state)
  }
}

extension RCCtrlAddress {
  /// An address of this device.
  init(_ address: LocalAddress) {
    self.init(address: address.address.description, interface: address.interface)
  }
}

extension LocalAddress {
  /// An address that the user chose; nil where it is no IPv4 address.
  init?(_ address: RCCtrlAddress) {
    guard let parsed = IPv4Address(address.address) else { return nil }
    self.init(address: parsed, interface: address.interface)
  }
}
