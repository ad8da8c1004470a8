import Foundation
import SimplexTesting
import Testing

/// Two people who talk through the C library, each in a process of their own, over the `smp-server` program, while one
/// of the three processes after the other gets SIGKILL.
///
/// `SIMPLEX_SOAK=1` for a minute instead of five seconds; `SIMPLEX_SEED=n` repeats what they do, but not the kills.
@Suite(.enabled(if: Library.isBuilt, "dist/lib/libsimplex.so is missing: make lib"))
struct KillTests {
  /// The programs are beside the tests.
  private static let server: String = {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
    return (bundle ?? URL(filePath: CommandLine.arguments[0])).deletingLastPathComponent()
      .appending(path: "smp-server").path
  }()

  @Test(.timeLimit(.minutes(10))) func nothingIsLostByKills() async throws {
    let environment = ProcessInfo.processInfo.environment
    let seconds = environment["SIMPLEX_SOAK"] == nil ? "5" : "60"
    let seed = environment["SIMPLEX_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000)
    let folder = try TemporaryFolder()
    let result = try await Task.detached {
      try Library.run("kills.py", arguments: [Library.path, Self.server, folder.path, seconds, "\(seed)"])
    }.value
    #expect(result.status == 0, "SIMPLEX_SEED=\(seed): \(result.output) \(result.errors)")
    print(result.output, terminator: "")
  }
}
