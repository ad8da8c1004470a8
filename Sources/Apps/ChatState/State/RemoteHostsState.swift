import ChatAPI

/// A session with a mobile device that is being connected.
public struct RemoteHostPairing: Hashable, Sendable {
  /// The mobile device; nil for a new one.
  public var host: RemoteHostInfo?
  /// How far the session is. The link of ``RemoteHostSessionState/connecting(invitation:)`` is shown as a QR code.
  public var sessionState: RemoteHostSessionState
  /// The addresses at which the mobile device may reach this device; empty if they are not known.
  public var localAddresses: [RCCtrlAddress] = []
  /// The port at these addresses.
  public var port: String?

  /// A session.
  public init(
    host: RemoteHostInfo? = nil, sessionState: RemoteHostSessionState, localAddresses: [RCCtrlAddress] = [],
    port: String? = nil
  ) {
    self.host = host
    self.sessionState = sessionState
    self.localAddresses = localAddresses
    self.port = port
  }

  /// The code to compare with that of the mobile device; nil while there is none.
  public var sessionCode: String? {
    switch sessionState {
    case .pendingConfirmation(let code), .confirmed(let code), .connected(let code): code
    case .starting, .connecting: nil
    }
  }
}

/// The mobile devices whose profiles this device can use, and the sessions with them: what a desktop shows.
public struct RemoteHostsState: Hashable, Sendable {
  /// The known ones; their states are those of their sessions.
  public internal(set) var hosts: [RemoteHostInfo] = []
  /// The one whose profile is shown, a database id; nil for the profile of this device.
  public internal(set) var currentId: Int64?
  /// The session that is being connected; nil for none.
  public internal(set) var pairing: RemoteHostPairing?

  /// Nothing is known.
  public init() {}

  /// The one whose profile is shown; nil for the profile of this device.
  public var current: RemoteHostInfo? { currentId.flatMap { id in hosts.first { $0.remoteHostId == id } } }

  /// Puts one in the place of the one with its id, or at the end.
  mutating func put(_ host: RemoteHostInfo) {
    if let index = hosts.firstIndex(where: { $0.remoteHostId == host.remoteHostId }) {
      hosts[index] = host
    } else {
      hosts.append(host)
    }
  }

  /// Sets the state of the session with one.
  mutating func setState(_ state: RemoteHostSessionState?, of id: Int64?) {
    guard let index = hosts.firstIndex(where: { $0.remoteHostId == id }) else { return }
    hosts[index].sessionState = state
  }

  /// Forgets one that was deleted.
  mutating func remove(_ id: Int64) {
    hosts.removeAll { $0.remoteHostId == id }
    if currentId == id { currentId = nil }
  }

  /// Forgets the session with one, or with a new one.
  /// - Returns: whether its profile was shown.
  mutating func end(_ id: Int64?) -> Bool {
    setState(nil, of: id)
    if pairing?.host?.remoteHostId == id { pairing = nil }
    guard let id, currentId == id else { return false }
    currentId = nil
    return true
  }
}
