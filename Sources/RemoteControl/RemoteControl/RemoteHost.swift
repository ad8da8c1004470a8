import RemoteControlCore
import RemoteControlProtocol

/// The host's side of remote control: one session with a controller at a time.
public actor RemoteHost {
  private var session: HostSession

  /// A host without a session.
  /// - Parameters:
  ///   - temporaryFolder: an existing folder for files that are being received.
  ///   - onEvent: called with each event, in order.
  public init(
    settings: HostSettings, pairings: any HostPairingStore, handler: any RemoteRequestHandler,
    discovery: any RemoteDiscovery, temporaryFolder: String, onEvent: @escaping @Sendable (HostEvent) -> Void
  ) {
    session = HostSession(settings: settings)
  }

  /// The state that users see; nil if there is no session.
  public var state: HostSessionState? { session.state }
  /// The controller of the session, if it is known; nil while searching.
  public var controller: CertificateFingerprint? { session.controller }

  /// Changes the settings, which the next session uses.
  public func update(_ settings: HostSettings) { session.settings = settings }

  /// Connects to the controller of an invitation.
  public func connect(_ invitation: ReceivedInvitation) async throws(RemoteSessionError) -> HostAnswer {
    throw .inactive
  }
  /// Looks for the known controllers.
  public func find() async throws(RemoteSessionError) -> HostAnswer { throw .inactive }
  /// Connects to a controller that was found.
  public func confirm(_ controller: CertificateFingerprint) async throws(RemoteSessionError) -> HostAnswer {
    throw .inactive
  }
  /// Compares the session code, and completes the session.
  public func verify(_ code: String) async throws(RemoteSessionError) -> HostAnswer { throw .inactive }
  /// Ends the session.
  public func stop() async {}
}
