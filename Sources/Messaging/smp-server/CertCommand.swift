import ArgumentParser
import SMPServer
import SimplexTransport

/// Issues a new online certificate; the identity is kept.
struct CertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cert", abstract: "Issue a new TLS certificate; the identity of the server is kept.")

  @Option(name: [.customShort("a"), .long], help: "Signature algorithm: ED25519 or ED448 (default: unchanged).")
  var signAlgorithm: String?
  @Option(name: .long, help: "Host name in the certificate (default: unchanged).")
  var cn: String?

  func run() throws {
    var algorithm: CertificateKey.Algorithm?
    switch signAlgorithm?.uppercased() {
    case nil: break
    case "ED25519": algorithm = .ed25519
    case "ED448": algorithm = .ed448
    default: throw ValidationError("--sign-algorithm must be ED25519 or ED448")
    }
    do { try SMPServerCommand.folders.certificates.rotate(commonName: cn, algorithm: algorithm) } catch {
      throw SMPServerCommand.fail(
        "no certificate was issued: \(error); restore ca.key and the other files of \(SMPServerCommand.folders.configuration)"
      )
    }
    print("New certificate: \(SMPServerCommand.folders.certificates.serverCertificateFile)")
    print("A running server uses it after SIGHUP (systemctl reload smp-server) or a restart.")
  }
}
