import Foundation

/// Two hosts in one network: network namespaces of this machine with a cable between them. Their interfaces are `eth0`.
final class NetworkNamespaces {
  private static let tool = URL(filePath: "/usr/sbin/ip")
  private let names: [String]

  /// The addresses of the hosts.
  static let addresses = ["10.77.1.1", "10.77.1.2"]

  /// Whether this process may make network namespaces.
  static var arePermitted: Bool {
    guard geteuid() == 0, access(tool.path, X_OK) == 0 else { return false }
    return (try? NetworkNamespaces()) != nil
  }

  init() throws {
    let id = String(UInt32.random(in: .min ... .max), radix: 16)
    names = ["sx\(id)a", "sx\(id)b"]
    for name in names { try Self.ip("netns", "add", name) }
    // Names of interfaces have at most 15 characters, and are those of the machine until they are moved.
    let cable = ["s\(id)a", "s\(id)b"]
    try Self.ip("link", "add", cable[0], "type", "veth", "peer", "name", cable[1])
    for (index, name) in names.enumerated() {
      try Self.ip("link", "set", cable[index], "netns", name, "name", "eth0")
      try Self.ip("-n", name, "addr", "add", "\(Self.addresses[index])/24", "dev", "eth0")
      for interface in ["lo", "eth0"] { try Self.ip("-n", name, "link", "set", interface, "up") }
    }
  }

  deinit { for name in names { try? Self.ip("netns", "del", name) } }

  /// Unplugs the cable of a host, or plugs it in.
  func setPlugged(_ isPlugged: Bool, host: Int) throws {
    try Self.ip("-n", names[host], "link", "set", "eth0", isPlugged ? "up" : "down")
  }

  /// Starts a program on a host.
  func start(_ name: String, _ arguments: [String], onHost host: Int, in folder: URL) throws -> Program {
    try Program(
      executable: Self.tool, ["netns", "exec", names[host], Program.folder.appending(path: name).path] + arguments,
      in: folder, environment: ["HOME": folder.path, "TERM": "dumb", "LANG": "C.UTF-8"], isTyped: true)
  }

  private static func ip(_ arguments: String...) throws {
    let process = Process()
    process.executableURL = tool
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Program.Failed(description: "ip \(arguments)") }
  }
}
