import NIOCore
import SimplexTransport

/// The addresses of this machine.
public enum MachineAddress {
  /// One by which hosts on the internet may reach it, of IPv4 if there is one; nil where its network translates
  /// addresses, or it has none.
  public static var onInternet: String? {
    let devices = (try? System.enumerateDevices()) ?? []
    let addresses = devices.compactMap(\.address).filter { AddressRule.publicOnly.allows($0) }
    return (addresses.first { $0.protocol == .inet } ?? addresses.first)?.ipAddress
  }
}
