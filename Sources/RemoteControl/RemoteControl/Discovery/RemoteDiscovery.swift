import RemoteControlProtocol
import SMPProtocol

/// The announcements of controllers in the local network.
public protocol RemoteDiscovery: Sendable {
  /// Sends a datagram to the group.
  /// - Throws: `exception` with a text for users where no interface can send to the group.
  func announce(_ datagram: [UInt8]) async throws(RemoteControlError)
  /// Joins the group, and passes datagrams with their source addresses on until the result is stopped.
  /// - Throws: `exception` with a text for users where the group cannot be joined: the system or its user does not
  ///   permit it, or there is no network.
  func listen(
    _ receive: @escaping @Sendable (_ datagram: [UInt8], _ source: IPv4Address) -> Void
  ) async throws(RemoteControlError) -> any RemoteDiscoveryListener
}

/// A member of the group of announcements.
public protocol RemoteDiscoveryListener: Sendable {
  /// Leaves the group.
  func stop() async
}
