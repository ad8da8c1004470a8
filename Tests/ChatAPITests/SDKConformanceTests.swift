import ChatAPI
import Foundation
import SimplexJSON
import SimplexTesting
import Testing

/// What we write against the types that the official Python SDK declares.
@Suite("Conformance with the Python SDK")
struct SDKConformanceTests {
  @Test func everythingTheSDKDeclaresIsWrittenAsDeclared() throws {
    guard let python = try PythonSDK.install() else { return }
    let file = PythonSDK.directory.appending(path: "samples.jsonl")
    try Data(try Self.samples().joined(separator: "\n").utf8).write(to: file)
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "check_sdk.py")
    let (status, output) = try PythonSDK.run(python, [script.path, file.path])
    print(output)
    #expect(status == 0, "\(output.prefix(4000))")
  }

  /// Lines `[SDK name, value]` of samples that went through our types.
  private static func samples() throws -> [String] {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    return try TypeTable.shared.rows.flatMap { row -> [String] in
      guard !row.sdkName.isEmpty, let type = apiTypes[row.type] else { return [] }
      return try Sampler.Optionals.allCases.map { optionals in
        var sampler = Sampler(table: .shared, random: SeededGenerator(seed: seed), optionals: optionals)
        let sample = sampler.sample(row)
        return #"["\#(row.sdkName)",\#(try rewritten(type, sample))]"#
      }
    }
  }

  private static func rewritten<T: APIType>(_: T.Type, _ sample: JSONValue) throws -> String {
    try T(jsonText: sample.jsonText()).jsonText()
  }
}

/// The official SDK in a virtual environment of its own.
enum PythonSDK {
  private static let version = "7.0.2"

  /// The environment, beside the build products, so that it survives clean test runs.
  static let directory: URL = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
    return root.appending(path: ".build/python-sdk")
  }()

  /// The interpreter with the SDK installed; nil, with a note, when the package index cannot be reached.
  static func install() throws -> String? {
    let python = directory.appending(path: "bin/python").path
    let (present, _) = (try? run(python, ["-c", "import simplex_chat.types"])) ?? (1, "")
    if present == 0 { return python }
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let (created, creation) = try run("/usr/bin/env", ["python3", "-m", "venv", directory.path])
    guard created == 0 else { throw Failure(message: "no virtual environment: \(creation)") }
    let arguments = ["-m", "pip", "install", "--quiet", "--no-deps", "simplex-chat==\(version)"]
    let (installed, output) = try run(python, arguments)
    if installed == 0 { return python }
    guard isNetworkFailure(output) else { throw Failure(message: output) }
    print("SKIPPED, no network: simplex-chat==\(version) could not be installed")
    return nil
  }

  private static func isNetworkFailure(_ output: String) -> Bool {
    ["Failed to establish a new connection", "Temporary failure in name resolution", "Network is unreachable"]
      .contains { output.contains($0) }
  }

  /// Runs a program; its output and errors come back as one text.
  static func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }

  struct Failure: Error { let message: String }
}
