import ArgumentParser
import FileAccess
import ProgramSupport
import RelayChassis
import SMPProtocol
import SimplexCrypto
import SimplexTransport
import WireCodec

extension RelayMain {
  /// Fails where there are settings already.
  public static func requireNotInitialized() throws {
    let file = folders.iniFile
    guard try WholeFile.text(file) == nil else {
      throw fail("already initialized (\(file) exists); run: \(program) start")
    }
  }

  /// Creates folders, identity, certificate and ini file, and prints the address and what to do next.
  ///
  /// - Parameter isLoopback: Whether the server listens on the loopback interface only, which is said then.
  /// - Throws: Where one of them cannot be created, or the settings are refused. No ini file is left then, and it can
  ///   be repeated.
  public static func initialize(
    host: String, isLoopback: Bool, algorithm: CertificateKey.Algorithm, ini: String
  ) throws(CommandFailure) {
    let folders = folders
    let address: String
    do {
      try Folder.create(folders.configuration)
      try Folder.create(folders.data)
      try folders.certificates.create(commonName: host, algorithm: algorithm)
      let settings = try Settings(ServerINI(ini), folders)
      address = settings.address(
        fingerprint: try folders.certificates.fingerprint(), showsPassword: true, port: nil)
      try WholeFile.replace(folders.iniFile, with: ini.utf8)
    } catch {
      throw fail("not initialized: \(error)")
    }
    print("Server initialized; settings are in \(folders.iniFile)")
    print("Server address: \(address)")
    if isLoopback {
      print("\(host) is this machine itself: nobody else can reach the server. For others, run \(program) delete")
      let place = MachineAddress.onInternet.map { "--ip \($0), which this machine has," } ?? "--ip ADDRESS"
      print("and init again with \(place) or --fqdn NAME.")
    }
    print("Move \(folders.certificates.authorityKeyFile) to a safe place:")
    print("anyone who has it can impersonate the server.")
    print("Start the server with: \(program) start")
  }
}

/// The options of `init` about where the server is.
public struct HostOptions: ParsableArguments {
  /// The address, which is also the address to listen on where it is a loopback address.
  @Option(
    name: .long,
    help: "Address of the server; a loopback address is also the address to listen on. (default: 127.0.0.1)")
  var ip: String?
  /// The host names, separated by commas.
  @Option(name: [.customShort("n"), .long], help: "Host name of the server.")
  var fqdn: String?

  public init() {}

  /// Refuses what is neither an address nor a name.
  public func validate() throws {
    if let ip, IPv4Address(ip) == nil, IPv6Address(ip[...]) == nil {
      throw ValidationError("--ip: \(ip) is not an IP address")
    }
    if let fqdn, let host = HostName.firstInvalid(in: fqdn) {
      throw ValidationError("--fqdn: \(host.isEmpty ? "an empty name" : host) is not a host name")
    }
  }

  /// The name, or the address.
  public var host: String { fqdn ?? ip ?? "127.0.0.1" }

  /// The address that is proposed where somebody is asked, such as one on the internet that this machine has.
  public var proposedHost: String { fqdn ?? ip ?? MachineAddress.onInternet ?? "127.0.0.1" }

  /// Whether a server with these host names listens on the loopback interface only: where a loopback address is given,
  /// or no address and no other host name.
  public func isLoopback(host: String) -> Bool {
    if let ip { return HostName.isLoopback(ip) }
    return host.split(separator: ",").allSatisfy { HostName.isLoopback(String($0)) }
  }

  /// The line of `[TRANSPORT]` about the address to listen on.
  public func bindLine(host: String) -> String {
    guard isLoopback(host: host) else { return "# bind =" }
    let isAddress = IPv4Address(host) != nil || IPv6Address(host[...]) != nil
    return "bind = \(ip ?? (isAddress ? host : "127.0.0.1"))"
  }
}

/// Passwords in ini files and addresses.
public enum ServerPassword {
  /// What is wrong with one that is not ``isValid(_:)``.
  public static let problem = "the password contains invalid characters (space, @, : and / are not allowed)"

  /// Whether it can be a part of an address.
  public static func isValid(_ text: String) -> Bool { !text.isEmpty && BasicAuth(Array(text.utf8)) != nil }

  /// The password in the first line of a file, or of the standard input for `-`; nil where no file is given.
  public static func read(from file: String?) throws -> String? {
    let password: String?
    do throws(SecretSourceError) { password = try SecretSource(file: file).secret() } catch {
      throw ValidationError("\(error)")
    }
    if let password, !isValid(password) { throw ValidationError(problem) }
    return password
  }

  /// A new one, with 192 bits.
  public static func random() -> String {
    var random = SystemRandom()
    return Base64URL.string(random.bytes(24))
  }
}

/// The control port of a new server, with random passwords; nil in `port` for none.
public struct NewControlPort {
  let port: UInt16?
  let usualPort: UInt16

  public init(_ port: UInt16?, usualPort: UInt16) {
    self.port = port
    self.usualPort = usualPort
  }

  /// The lines of `[AUTH]`.
  public var passwordLines: String {
    ["control_port_admin_password", "control_port_user_password"].map {
      port == nil ? "# \($0) =" : "\($0) = \(ServerPassword.random())"
    }.joined(separator: "\n")
  }

  /// The line of `[TRANSPORT]`.
  public var portLine: String { port.map { "control_port = \($0)" } ?? "# control_port = \(usualPort)" }
}

extension CertificateKey.Algorithm: ExpressibleByArgument {
  /// Its name in upper or lower case.
  public init?(argument: String) { self.init(rawValue: argument.uppercased()) }

  /// All of them.
  public static var allValueStrings: [String] { allCases.map(\.rawValue) }
}
