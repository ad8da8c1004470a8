import ArgumentParser
import SMPServer
import SimplexTransport

/// Makes a new online certificate; the identity stays.
struct CertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cert", abstract: "Make a new TLS certificate with the identity of the server.")

  @Option(name: [.customShort("a"), .long], help: "Signature algorithm: ED25519 or ED448; the old one unless given.")
  var signAlgorithm: String?
  @Option(name: .long, help: "Host name in the certificate; the old one unless given.")
  var cn: String?

  func run() throws {
    var algorithm: CertificateKey.Algorithm?
    switch signAlgorithm?.uppercased() {
    case nil: break
    case "ED25519": algorithm = .ed25519
    case "ED448": algorithm = .ed448
    default: throw ValidationError("--sign-algorithm has to be ED25519 or ED448")
    }
    do { try SMPServerCommand.folders.certificates.rotate(commonName: cn, algorithm: algorithm) } catch {
      throw SMPServerCommand.fail("no new certificate: \(error)")
    }
    print("Made a new certificate: \(SMPServerCommand.folders.certificates.serverCertificateFile)")
  }
}
