import ArgumentParser
import RelayChassis
import SimplexTransport

/// Issues a new online certificate; the identity is kept.
public struct CertCommand<Program: RelayMain>: ParsableCommand {
  /// The name and what the help says.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "cert", abstract: "Issue a new TLS certificate; the identity of the server is kept.")
  }

  @Option(name: [.customShort("a"), .long], help: "Signature algorithm: ED25519 or ED448 (default: unchanged).")
  var signAlgorithm: CertificateKey.Algorithm?
  @Option(name: .long, help: "Host name in the certificate (default: unchanged).")
  var cn: String?

  public init() {}

  /// Issues it, and says where it is.
  public func run() throws {
    let folders = Program.folders
    try folders.renewCertificate(commonName: cn, algorithm: signAlgorithm)
    print("New certificate: \(folders.certificates.serverCertificateFile)")
    print("A running server uses it after SIGHUP (systemctl reload \(Program.program)) or a restart.")
  }
}
