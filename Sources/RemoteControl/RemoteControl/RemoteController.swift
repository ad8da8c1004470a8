import RemoteControlCore
import RemoteControlProtocol

/// The controller's side of remote control: one session with one host.
public actor RemoteController {
  /// What the user needs to connect the host.
  public typealias Started = (invitation: SignedInvitation, addresses: [LocalAddress], port: UInt16)

  private var session: ControllerSession

  /// A controller without a session.
  /// - Parameters:
  ///   - temporaryFolder: an existing folder for received files.
  ///   - onEvent: called with each event of the session, in order.
  ///   - onRemoteEvent: called with each event of the host, in order.
  public init(
    settings: ControllerSettings, pairings: any ControllerPairingStore, discovery: any RemoteDiscovery,
    temporaryFolder: String, onEvent: @escaping @Sendable (ControllerEvent) -> Void,
    onRemoteEvent: @escaping @Sendable (RemoteResult) -> Void
  ) {
    session = ControllerSession(settings: settings)
  }

  /// The state that users see; nil if there is no session.
  public var state: ControllerSessionState? { session.state }
  /// The application record of the connected host; nil if there is none.
  public var hostInfo: HostAppInfo? { nil }

  /// Starts a session: listens for the host, which needs the invitation of the result.
  public func start(_ start: ControllerStart, address: LocalAddress? = nil) async throws(RemoteSessionError) -> Started {
    throw .inactive
  }
  /// Ends the session.
  public func stop() async {}
  /// Has the host execute a command.
  public func send(
    _ command: RemoteCommand, filePath: String? = nil
  ) async throws(RemoteRequestError) -> (response: RemoteResponse, filePath: String?) {
    throw .session(.missing)
  }
}
