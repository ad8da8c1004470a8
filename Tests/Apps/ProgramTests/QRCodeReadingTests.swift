import Foundation
import SimplexTesting
import Testing

private let reader = "zxing-cpp==3.1.1"

/// QR codes that programs show at a terminal, read by an independent reader.
@Suite(.enabled(if: Python.environment(with: reader) != nil, "the package zxing-cpp cannot be installed"))
struct QRCodeReadingTests {
  @Test func theAddressOfARelay() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "qr-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "qr_code.py")
    let result = try Python.run(
      script: String(contentsOf: file, encoding: .utf8),
      arguments: [folder.path, Program.folder.appending(path: "smp-server").path], package: reader)
    #expect(result.status == 0, "\(result.output) \(result.errors)")
  }
}
