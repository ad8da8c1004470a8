import Foundation
import SimplexTransport
import Testing

@Suite("Certificate files of a relay")
struct RelayCertificatesTests {
  @Test("Created files present the chain that the fingerprint names", arguments: CertificateKey.Algorithm.allCases)
  func create(algorithm: CertificateKey.Algorithm) throws {
    let folder = try TemporaryFolder()
    let files = RelayCertificates(folder: folder.path)
    let fingerprint = try files.create(commonName: "smp.example.com", algorithm: algorithm)

    #expect(try files.fingerprint() == fingerprint)
    let saved = try String(contentsOfFile: files.fingerprintFile, encoding: .utf8)
    #expect(saved.count == 45 && saved.hasSuffix("=\n"))
    let credential = try files.credential()
    #expect(credential.key.algorithm == algorithm)
    #expect(try credential.chain.leaf?.commonName() == "smp.example.com")
    try credential.chain.verify(.relay(fingerprint: fingerprint), at: Int(Date().timeIntervalSince1970))
    for secret in [files.authorityKeyFile, files.serverKeyFile] {
      let permissions = try FileManager.default.attributesOfItem(atPath: secret)[.posixPermissions] as? Int
      #expect(permissions == 0o600)
    }
  }

  @Test("The certificates look as the openssl command makes them", .enabled(if: hasOpenSSLCommand))
  func conventions() throws {
    let folder = try TemporaryFolder()
    let files = RelayCertificates(folder: folder.path)
    try files.create(commonName: "smp.example.com")
    // Newer versions of the command print names without the spaces.
    let authority = try openSSL("x509", "-in", files.authorityCertificateFile, "-noout", "-text")
      .replacingOccurrences(of: " = ", with: "=")
    for expected in [
      "Version: 3", "Issuer: CN=SMP server CA, O=SimpleX", "Subject: CN=SMP server CA, O=SimpleX",
      "Signature Algorithm: ED448", "X509v3 Subject Key Identifier", "X509v3 Authority Key Identifier",
      "X509v3 Basic Constraints: critical\n                CA:TRUE",
    ] { #expect(authority.contains(expected), "\(expected) is missing in \(authority)") }
    let server = try openSSL("x509", "-in", files.serverCertificateFile, "-noout", "-text")
      .replacingOccurrences(of: " = ", with: "=")
    for expected in [
      "Version: 3", "Issuer: CN=SMP server CA, O=SimpleX", "Subject: CN=smp.example.com",
      "Digital Signature, Non Repudiation, Key Agreement", "TLS Web Server Authentication", "CA:FALSE",
    ] { #expect(server.contains(expected), "\(expected) is missing in \(server)") }
    let verified = try openSSL("verify", "-CAfile", files.authorityCertificateFile, files.serverCertificateFile)
    #expect(verified.hasSuffix("OK\n"))
  }

  @Test("Rotation keeps the identity, the name and the algorithm, or changes what is asked")
  func rotate() throws {
    let folder = try TemporaryFolder()
    let files = RelayCertificates(folder: folder.path)
    let fingerprint = try files.create(commonName: "old.example.com", algorithm: .ed25519)
    let first = try files.credential()

    try files.rotate()
    let second = try files.credential()
    #expect(second.chain.leaf != first.chain.leaf)
    #expect(second.chain.identity == first.chain.identity)
    #expect(second.key.algorithm == .ed25519)
    #expect(try second.chain.leaf?.commonName() == "old.example.com")

    try files.rotate(commonName: "new.example.com", algorithm: .ed448)
    let third = try files.credential()
    #expect(third.key.algorithm == .ed448)
    #expect(try third.chain.leaf?.commonName() == "new.example.com")
    try third.chain.verify(.relay(fingerprint: fingerprint), at: Int(Date().timeIntervalSince1970))
  }

  @Test("Missing and wrong files are named")
  func failures() throws {
    let folder = try TemporaryFolder()
    let files = RelayCertificates(folder: folder.path)
    #expect(throws: CertificateError.file(path: files.serverCertificateFile, code: ENOENT)) { try files.credential() }
    #expect(throws: CertificateError.file(path: "/nonexistent/ca.key", code: ENOENT)) {
      try RelayCertificates(folder: "/nonexistent").create(commonName: "localhost")
    }
    try files.create(commonName: "localhost")
    try "AAAA\n".write(toFile: files.fingerprintFile, atomically: true, encoding: .utf8)
    #expect(throws: CertificateError.fingerprintFileMismatch) { try files.fingerprint() }
    try FileManager.default.removeItem(atPath: files.authorityKeyFile)
    #expect(throws: CertificateError.file(path: files.authorityKeyFile, code: ENOENT)) { try files.rotate() }
    _ = try files.credential()
  }
}
