import ChatTerminal
import Foundation
import SimpleXChat
import SimplexTesting
import Testing

@Suite struct WebSocketAPITests {
  private static let package = "websockets==15.0.1"

  @Test(.enabled(if: Python.environment(with: Self.package) != nil, "the package websockets cannot be installed"))
  func aBotWithAnotherImplementationOfTheProtocol() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let core = try await ChatController.open(ChatOptions(databasePrefix: folder.appending(path: "db").path))
    let api = try await WebSocketAPI(core: core, port: 0)
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "websocket.py")
    let script = try String(contentsOf: file, encoding: .utf8)
    let port = String(api.port)
    let result = try await Task.detached {
      try Python.run(script: script, arguments: [port], package: Self.package)
    }.value
    #expect(result.status == 0, "\(result.output) \(result.errors)")
    await api.close()
    try await core.close()
  }
}
