import ChatLogic
import Foundation
import SimplexTesting
import Testing

private let webSockets = "websockets==15.0.1"

/// Chat programs behind SOCKS proxies, and short links of the public network, with default settings.
@Suite(.enabled(if: Python.environment(with: webSockets) != nil, "the package websockets cannot be installed"))
struct NetworkTests {
  @Test func proxiesAndShortLinks() async throws {
    try await ProgramWorld.with(files: true) { world in
      let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "networks.py")
      let root = file.deletingLastPathComponent().appending(path: "../../..").standardizedFileURL
      let library = root.appending(path: "dist/lib/libsimplex.so").path
      let arguments = [
        file.path, Program.folder.appending(path: "simplex-chat").path,
        FileManager.default.fileExists(atPath: library) ? library : "", world.server, world.fileServer ?? "",
        PresetServers.standard.linkServers.joined(separator: " "),
      ]
      let result = try await Task.detached {
        try Python.run(
          script: "import runpy, sys; sys.argv.pop(0); runpy.run_path(sys.argv[0], run_name='__main__')",
          arguments: arguments, package: webSockets)
      }.value
      #expect(result.status == 0, "\(result.output) \(result.errors)")
    }
  }
}
