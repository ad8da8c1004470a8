import Foundation
import SimplexTesting
import Testing

private let webSockets = "websockets==15.0.1"

/// Two chat programs do with each other what contacts do, through `smp-server`.
///
/// With `SIMPLEX_OTHER_CHAT`, the path of another implementation's `simplex-chat`, they are also one of each, in both
/// orders; with `SIMPLEX_OTHER_RELAY`, the address of another implementation's relay, they meet there.
@Suite(.enabled(if: Python.environment(with: webSockets) != nil, "the package websockets cannot be installed"))
struct ConversationTests {
  private static var pairs: [[String]] {
    let ours = Program.folder.appending(path: "simplex-chat").path
    guard let other = ProcessInfo.processInfo.environment["SIMPLEX_OTHER_CHAT"] else { return [[ours, ours]] }
    return [[ours, ours], [ours, other], [other, ours]]
  }

  @Test(arguments: pairs) func isHeld(between programs: [String]) async throws {
    try await ProgramWorld.with { world in
      let relay = ProcessInfo.processInfo.environment["SIMPLEX_OTHER_RELAY"] ?? world.server
      let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "conversation.py")
      let result = try await Task.detached {
        try Python.run(
          script: "import runpy, sys; sys.argv.pop(0); runpy.run_path(sys.argv[0], run_name='__main__')",
          arguments: [file.path] + programs + [relay], package: webSockets)
      }.value
      #expect(result.status == 0, "\(result.output) \(result.errors)")
    }
  }
}
