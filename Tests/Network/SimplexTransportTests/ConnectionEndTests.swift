import Foundation
import Testing

/// Every channel of a socket is made by `Connections`, so its pipeline ends with a handler that closes on errors.
@Suite struct ConnectionEndTests {
  /// The files that may make channels: `Connections`, and pipes inside the process.
  private static let allowed: Set<String> = ["Connections.swift", "EventLoopPasses.swift"]

  @Test func onlyConnectionsMakesChannels() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    var makers: Set<String> = []
    var count = 0
    for folder in ["Sources", "Examples"] {
      let files = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
      while let file = files?.nextObject() as? String {
        guard file.hasSuffix(".swift") else { continue }
        count += 1
        let text = try String(contentsOf: root.appending(path: folder).appending(path: file), encoding: .utf8)
        if text.contains("Bootstrap(") { makers.insert(URL(filePath: file).lastPathComponent) }
      }
    }
    #expect(count > 500 && makers == Self.allowed)
  }
}
