import ArgumentParser
import SimplexTransport
import XFTPServer

/// Issues a new online certificate; the identity is kept.
struct CertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cert", abstract: "Issue a new TLS certificate; the identity of the server is kept.")

  @Option(name: [.customShort("a"), .long], help: "Signature algorithm: ED25519 or ED448 (default: unchanged).")
  var signAlgorithm: String?
  @Option(name: .long, help: "Host name in the certificate (default: unchanged).")
  var cn: String?

  func run() throws {
    let algorithm = signAlgorithm.flatMap { CertificateKey.Algorithm(rawValue: $0.uppercased()) }
    guard (algorithm == nil) == (signAlgorithm == nil) else {
      throw ValidationError("--sign-algorithm must be ED25519 or ED448")
    }
    let folders = XFTPServerCommand.folders
    try folders.renewCertificate(commonName: cn, algorithm: algorithm)
    print("New certificate: \(folders.certificates.serverCertificateFile)")
    print("A running server uses it after SIGHUP (systemctl reload xftp-server) or a restart.")
  }
}
