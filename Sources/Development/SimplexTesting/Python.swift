#if os(Linux) || os(macOS)
  import Foundation
  import Synchronization

  /// Python with packages from PyPI, for tests against independent implementations.
  public enum Python {
    /// One process at a time, since the environment is shared.
    private static let environments = Mutex<[String: String?]>([:])

    /// The `python3` of an environment with this package (`name==version`); nil where it cannot be installed, for
    /// example without a network.
    public static func environment(with package: String) -> String? {
      environments.withLock { environments in
        if let known = environments[package] { return known }
        let script = repository.appendingPathComponent("scripts/python-env").path
        let result = try? run(script, [package])
        let python = result.flatMap { $0.status == 0 ? $0.output.split(separator: "\n").last.map(String.init) : nil }
        environments[package] = .some(python)
        return python
      }
    }

    /// The result of a finished process.
    public struct Result: Sendable {
      /// Its exit status.
      public let status: Int32
      /// Its standard output.
      public let output: String
      /// Its standard error.
      public let errors: String
    }

    /// Runs a Python script, given as text, in the environment that has the package.
    public static func run(script: String, arguments: [String] = [], package: String) throws -> Result {
      guard let python = environment(with: package) else { throw CocoaError(.executableNotLoadable) }
      return try run(python, ["-c", script] + arguments)
    }

    private static let repository = Vectors.folder.deletingLastPathComponent().deletingLastPathComponent()

    private static func run(_ program: String, _ arguments: [String]) throws -> Result {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: program)
      process.arguments = arguments
      let output = Pipe()
      // Errors go to a file: two pipes could fill up in turn and block the process.
      let errorFile = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      _ = FileManager.default.createFile(atPath: errorFile.path, contents: nil)
      defer { try? FileManager.default.removeItem(at: errorFile) }
      process.standardOutput = output
      process.standardError = try FileHandle(forWritingTo: errorFile)
      process.standardInput = FileHandle.nullDevice
      try process.run()
      let written = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return Result(
        status: process.terminationStatus, output: String(decoding: written, as: UTF8.self),
        errors: (try? String(contentsOf: errorFile, encoding: .utf8)) ?? "")
    }
  }
#endif
