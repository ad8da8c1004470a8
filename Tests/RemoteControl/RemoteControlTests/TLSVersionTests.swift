import Foundation
import Testing

@testable import RemoteControl

/// TLS as the reference offers it: versions 1.3 and 1.2, with its ciphers, groups and signatures. The highest is used.
@Suite(.enabled(if: access("/usr/bin/openssl", X_OK) == 0, "there is no openssl")) struct TLSVersionTests {
  private static let offer = [
    "-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256", "-cipher", "ECDHE-ECDSA-CHACHA20-POLY1305", "-groups",
    "X448:X25519", "-sigalgs", "ed448:ed25519",
  ]

  /// What a client of these versions prints of the connection to a desktop.
  private func connect(_ versions: [String]) async throws -> String {
    let devices = try Devices()
    let port = try await devices.start().invitation.port
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/openssl")
    process.arguments = ["s_client", "-connect", "127.0.0.1:\(port)"] + versions + Self.offer
    let output = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    await devices.stop()
    return text
  }

  @Test func theHighestVersionIsUsed() async throws {
    let text = try await connect([])
    #expect(text.contains("TLSv1.3, Cipher is TLS_CHACHA20_POLY1305_SHA256"), "\(text)")
  }

  @Test func anOlderVersionAloneIsRefused() async throws {
    let text = try await connect(["-tls1_2"])
    #expect(text.contains("Cipher is (NONE)"), "\(text)")
  }
}
