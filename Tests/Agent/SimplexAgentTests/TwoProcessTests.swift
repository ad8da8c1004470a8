import Foundation
import SMPProtocol
import Testing

/// The built `agent-peer`, spoken to in lines.
private final class PeerProcess: @unchecked Sendable {
  // Used by one test at a time; unchecked because of `Process` and the file handles.
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var text = ""

  struct Ended: Error { let output: String }

  init(database: URL, relay: LoopbackRelay) throws {
    let products = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL.deletingLastPathComponent()
    process.executableURL = (products ?? URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent())
      .appending(path: "agent-peer")
    process.arguments = [database.path, relay.address.description]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  func send(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8)) }

  /// The rest of the next line that begins with a word; those before it are skipped.
  func read(_ word: String) throws -> String {
    while true {
      while let end = text.firstIndex(of: "\n") {
        let line = text[..<end]
        text = String(text[text.index(after: end)...])
        if line == word { return "" }
        if line.hasPrefix(word + " ") { return String(line.dropFirst(word.count + 1)) }
        if line.hasPrefix("error") || line.hasPrefix("failed") { throw Ended(output: String(line)) }
      }
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { throw Ended(output: text) }
      text += String(decoding: data, as: UTF8.self)
    }
  }

  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  func quit() throws {
    try send("quit")
    _ = try read("closed")
    process.waitUntilExit()
  }
}

@Suite("Agents in two processes", .timeLimit(.minutes(1)))
struct TwoProcessTests {
  @Test(arguments: ["invite", "invite short", "address", "address short"])
  func theyConnectAndTalkAlsoAfterBeingKilled(_ command: String) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "peers-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let relay = try await LoopbackRelay.start()
    let aliceDatabase = folder.appending(path: "alice.db")
    let bobDatabase = folder.appending(path: "bob.db")
    var alice = try PeerProcess(database: aliceDatabase, relay: relay)
    var bob = try PeerProcess(database: bobDatabase, relay: relay)
    try alice.send(command)
    let link = try alice.read("link").split(separator: " ")
    try bob.send("join \(link[1])")
    let a = try alice.read("connected")
    let b = try bob.read("connected")
    try alice.send("send \(a) hello bob")
    #expect(try bob.read("message") == "\(b) hello bob")
    try bob.send("send \(b) hello alice")
    #expect(try alice.read("message") == "\(a) hello alice")

    bob.kill()
    try alice.send("send \(a) are you there?")
    _ = try alice.read("sent")
    alice.kill()
    await relay.stop()
    try await relay.startAgain()
    alice = try PeerProcess(database: aliceDatabase, relay: relay)
    bob = try PeerProcess(database: bobDatabase, relay: relay)
    #expect(try bob.read("message") == "\(b) are you there?")
    try bob.send("send \(b) yes")
    #expect(try alice.read("message") == "\(a) yes")
    try alice.quit()
    try bob.quit()
    await relay.stop()
  }
}
