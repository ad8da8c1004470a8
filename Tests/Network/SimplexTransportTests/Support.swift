import Foundation

/// A folder that is removed with its owner.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("simplex-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// Whether the `openssl` command is there, and is OpenSSL 3 rather than one of its relatives.
let hasOpenSSLCommand = (try? openSSL("version"))?.hasPrefix("OpenSSL 3") ?? false

/// Output of the `openssl` command: the independent implementation that certificates and handshakes are tried with.
func openSSL(_ arguments: String...) throws -> String {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = ["openssl"] + arguments
  let output = Pipe()
  process.standardOutput = output
  process.standardError = output
  try process.run()
  let text = output.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return String(decoding: text, as: UTF8.self)
}
