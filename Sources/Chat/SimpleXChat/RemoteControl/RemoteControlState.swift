import ChatAPI
import ChatStore
import RemoteControl
import RemoteControlCore
import RemoteControlProtocol

/// The sessions of this process with desktops and mobile devices. Nothing of them is stored, except the pairings.
struct RemoteControlState {
  /// The name of this device for others.
  var deviceName: String
  /// The session with a desktop, the current or the last one; nil before the first.
  var desktop: DesktopSession?
  /// The sessions with mobile devices.
  var mobiles: [MobileSession] = []
  /// The number of the last one of these sessions.
  var lastMobile = 0
  /// The mobile device whose profile the terminal uses, a database id; nil for that of this device.
  var currentMobile: Int64?
}

/// A session with a desktop that controls this device.
struct DesktopSession: Sendable {
  /// The connection.
  let driver: RemoteHost
  /// The events for the desktop.
  let events: DesktopEventQueue
  /// The files that the desktop stored in this session.
  let uploads: DesktopUploads
}

extension AppVersions {
  /// The versions of cores that this one works with.
  static let supported = AppVersion(text: ChatController.version).flatMap { AppVersions(upTo: $0) }
}

/// The pairings with desktops, for their driver.
struct DesktopPairings: HostPairingStore {
  /// The controller, while there is one.
  let core: @Sendable () -> ChatController?

  func hostPairings() async throws -> [HostPairing] {
    guard let core = core() else { throw ChatError.error(errorType: .chatNotStarted) }
    return try core.store.read { try $0.allRemoteControllers() }.map(\.pairing)
  }

  func store(_ pairing: HostPairing) async throws {
    guard let core = core() else { throw ChatError.error(errorType: .chatNotStarted) }
    try await core.storePairing { try $0.setRemoteController(pairing) }
  }
}

extension ChatController {
  /// Stores a pairing in a turn; it is durable when this returns.
  func storePairing(_ body: @Sendable (ChatTransaction) throws -> Int64) throws(ChatError) {
    try turn { _ = try body($0.rows) }
    try store.synchronize()
  }
}

extension RemoteCtrlInfo {
  /// A stored desktop in a state of the session with it.
  init(_ stored: StoredRemoteController, _ state: RemoteCtrlSessionState?) {
    self.init(remoteCtrlId: stored.id, ctrlDeviceName: stored.pairing.controllerName, sessionState: state)
  }
}
