import NIOCore
import NIOPosix
import RemoteControlProtocol
import SMPProtocol
import SimplexTransport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Announcements by multicast in the local network. Source: XRCP, "Session invitation"; the reference's group and port.
///
/// The system or its user may have to permit it: iOS asks for an entitlement of Apple, Android for a multicast lock.
public struct MulticastDiscovery: RemoteDiscovery {
  private let group: String
  private let port: Int
  private let interface: String?

  /// Announcements in a group.
  /// - Parameters:
  ///   - group: the IPv4 address of the group.
  ///   - port: the port of its members.
  ///   - interface: the name of the only interface to use; nil for every one that is up and can multicast.
  public init(group: String = Announcement.group, port: UInt16 = Announcement.port, interface: String? = nil) {
    self.group = group
    self.port = Int(port)
    self.interface = interface
  }

  /// The interfaces to use, with their IPv4 addresses.
  private var devices: [NIONetworkDevice] {
    let all = (try? System.enumerateDevices()) ?? []
    let usable = all.filter { device in
      guard case .v4? = device.address else { return false }
      return interface.map { device.name == $0 } ?? device.multicastSupported
    }
    // An interface may have several addresses; it is joined once.
    var names: Set<String> = []
    return usable.filter { names.insert($0.name).inserted }
  }

  /// Sends a datagram from each interface, whose address is the source.
  public func announce(_ datagram: [UInt8]) async throws(RemoteControlError) {
    var failure = "no interface can multicast"
    var isSent = false
    for device in devices {
      do {
        try await send(datagram, from: device)
        isSent = true
      } catch {
        failure = TransportError(error).description
      }
    }
    if !isSent { throw .exception("announcements cannot be sent: \(failure)") }
  }

  private func send(_ datagram: [UInt8], from device: NIONetworkDevice) async throws {
    guard case .v4(let address)? = device.address, let host = device.address?.ipAddress else { return }
    let channel = try await Connections.datagrams(MultiThreadedEventLoopGroup.singleton).bind(host: host, port: 0).get()
    do {
      let target = try SocketAddress(ipAddress: group, port: port)
      let interface = address.address.sin_addr
      try await (channel as? any SocketOptionProvider)?.setIPMulticastIF(interface).get()
      try await channel.writeAndFlush(AddressedEnvelope(remoteAddress: target, data: ByteBuffer(bytes: datagram))).get()
    } catch {
      try? await channel.close()
      throw error
    }
    try? await channel.close()
  }

  /// Joins the group on each interface.
  public func listen(
    _ receive: @escaping @Sendable (_ datagram: [UInt8], _ source: IPv4Address) -> Void
  ) async throws(RemoteControlError) -> any RemoteDiscoveryListener {
    let channel: any Channel
    do {
      channel = try await Connections.datagrams(MultiThreadedEventLoopGroup.singleton) { channel in
        let size = Receiver.bufferSize
        try channel.syncOptions?.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: size))
        try channel.pipeline.syncOperations.addHandler(Receiver(receive))
      }.bind(host: group, port: port).get()
    } catch {
      throw .exception("announcements cannot be received: \(TransportError(error).description)")
    }
    do {
      try await join(channel)
    } catch {
      try? await channel.close()
      throw .exception("announcements cannot be received: \(TransportError(error).description)")
    }
    return Member(channel: channel)
  }

  private func join(_ channel: any Channel) async throws {
    guard let options = channel as? any SocketOptionProvider,
      case .v4(let target) = try SocketAddress(ipAddress: group, port: port)
    else { throw TransportError.other("\(group) is no IPv4 address") }
    var failure: any Error = TransportError.other("no interface can multicast")
    var isJoined = false
    for device in devices {
      guard case .v4(let address)? = device.address else { continue }
      // Not by the library's function, which refuses the loopback interface of Linux.
      let membership = ip_mreq(imr_multiaddr: target.address.sin_addr, imr_interface: address.address.sin_addr)
      do {
        try await options.unsafeSetSocketOption(level: .ip, name: .ip_add_membership, value: membership).get()
        isJoined = true
      } catch {
        failure = error
      }
    }
    if !isJoined { throw failure }
  }

  private struct Member: RemoteDiscoveryListener {
    let channel: any Channel

    func stop() async { try? await channel.close() }
  }

  private final class Receiver: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    /// Announcements have 985 bytes; longer datagrams are cut, and so dropped.
    static let bufferSize = 2_048

    private let receive: @Sendable ([UInt8], IPv4Address) -> Void

    init(_ receive: @escaping @Sendable ([UInt8], IPv4Address) -> Void) { self.receive = receive }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let envelope = unwrapInboundIn(data)
      guard envelope.data.readableBytes == Announcement.size,
        let source = envelope.remoteAddress.ipAddress.flatMap({ IPv4Address($0) })
      else { return }
      receive(Array(envelope.data.readableBytesView), source)
    }
  }
}
