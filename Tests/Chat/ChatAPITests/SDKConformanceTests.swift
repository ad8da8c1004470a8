import ChatAPI
import Foundation
import SimplexJSON
import SimplexTesting
import Testing

/// What we write against the types that the official Python SDK declares.
@Suite("Conformance with the Python SDK", .enabled(if: PythonSDK.isInstalled, "the SDK from PyPI cannot be installed"))
struct SDKConformanceTests {
  @Test func everythingTheSDKDeclaresIsWrittenAsDeclared() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "samples-\(UUID().uuidString).jsonl")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(try Self.samples().joined(separator: "\n").utf8).write(to: file)
    let result = try PythonSDK.run("check_sdk.py", arguments: [file.path])
    print(result.output)
    #expect(result.status == 0, "\(result.output.prefix(4000)) \(result.errors.prefix(4000))")
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

/// The official SDK, and our scripts beside this file that use it.
enum PythonSDK {
  private static let package = "simplex-chat==7.0.2"

  static var isInstalled: Bool { Python.environment(with: package) != nil }

  static func run(_ script: String, arguments: [String] = []) throws -> Python.Result {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: script)
    let text = try String(contentsOf: file, encoding: .utf8)
    return try Python.run(script: text, arguments: arguments, package: package)
  }
}
