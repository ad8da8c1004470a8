import ChatAPI
import ChatTerminal
import Foundation
import SimplexTesting
import Testing

@testable import SimpleXChat

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

  /// What was reported before a command ended is read before its response.
  @Test(.enabled(if: Python.environment(with: Self.package) != nil, "the package websockets cannot be installed"))
  func aResponseComesAfterTheEventsBeforeIt() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let core = try await ChatController.open(ChatOptions(databasePrefix: folder.appending(path: "db").path))
    for number in 0..<2_000 { core.emit(ChatEvent.hostConnected(protocol: .smp, transportHost: "relay\(number)")) }
    let api = try await WebSocketAPI(core: core, port: 0)
    let script = """
      import asyncio, json, sys, websockets
      async def main():
          async with websockets.connect(f"ws://127.0.0.1:{sys.argv[1]}") as connection:
              await connection.send(json.dumps({"corrId": "1", "cmd": "/version"}))
              for number in range(2000):
                  event = json.loads(await asyncio.wait_for(connection.recv(), 20))
                  assert event["resp"].get("transportHost") == f"relay{number}", event
              response = json.loads(await asyncio.wait_for(connection.recv(), 20))
              assert response["corrId"] == "1" and response["resp"]["type"] == "versionInfo", response
      asyncio.run(main())
      """
    let port = String(api.port)
    let result = try await Task.detached {
      try Python.run(script: script, arguments: [port], package: Self.package)
    }.value
    #expect(result.status == 0, "\(result.output) \(result.errors)")
    await api.close()
    try await core.close()
  }
}
