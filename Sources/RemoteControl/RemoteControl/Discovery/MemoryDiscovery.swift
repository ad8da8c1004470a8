import RemoteControlProtocol
import SMPProtocol
import Synchronization

/// A group of announcements inside this process: for tests, and devices that are one process.
public final class MemoryDiscovery: RemoteDiscovery {
  private struct Listener: RemoteDiscoveryListener {
    let number: UInt64
    let discovery: MemoryDiscovery

    func stop() async { discovery.state.withLock { $0.receivers[number] = nil } }
  }

  private struct State {
    var receivers: [UInt64: @Sendable ([UInt8], IPv4Address) -> Void] = [:]
    var last: UInt64 = 0
  }

  private let state = Mutex(State())
  private let source: IPv4Address

  /// A group whose datagrams come from one address, which has to be that of invitations.
  public init(source: IPv4Address) { self.source = source }

  /// Passes a datagram to all members.
  public func announce(_ datagram: [UInt8]) async throws(RemoteControlError) {
    for receive in state.withLock({ Array($0.receivers.values) }) { receive(datagram, source) }
  }

  /// Adds a member.
  public func listen(
    _ receive: @escaping @Sendable (_ datagram: [UInt8], _ source: IPv4Address) -> Void
  ) async throws(RemoteControlError) -> any RemoteDiscoveryListener {
    let number = state.withLock { state in
      state.last += 1
      state.receivers[state.last] = receive
      return state.last
    }
    return Listener(number: number, discovery: self)
  }
}
