import Foundation
import SMPProtocol
import SQLiteKit
import SimplexTesting
import Testing

/// The server as a program on a full disk. Needs the permission to mount one: skipped for users other than root, and
/// where there is no tmpfs.
@Suite(.serialized, .timeLimit(.minutes(2))) struct FullDiskTests {
  @Test(.enabled(if: SmallDisk.isPossible)) func nothingAcceptedIsLost() async throws {
    let program = try ServerProgram()
    defer { program.remove() }
    let disk = try SmallDisk(program.folder.appending(path: "data"), megabytes: 3)
    defer { disk.unmount() }
    try program.run(["init", "-y", "--no-password", "--ip", "127.0.0.1", "--port", "0"])
    let metricsPort = try LineClient.freePort()
    let ini = program.folder.appending(path: "config/smp-server.ini")
    let settings = try String(contentsOf: ini, encoding: .utf8)
    try settings.replacing("# metrics_port = 9224", with: "metrics_port = \(metricsPort)")
      .write(to: ini, atomically: true, encoding: .utf8)
    let process = try await program.start()
    let client = try await process.client()
    var accepted: [UInt8] = []
    var queues: [TestQueue] = []
    for _ in 0..<4 { queues.append(try await client.newQueue(subscription: .onlyCreate)) }
    var refused = 0
    for index in 0..<400 where refused < 20 {
      let body = [UInt8(index % 256)] + [UInt8](repeating: 7, count: 15_999)
      switch try await client.sendMessage(body, to: queues[index % 4]) {
      case .ok: accepted.append(UInt8(index))
      case .err(.STORE): refused += 1
      case let other: throw Unexpected(message: other)
      }
    }
    #expect(!accepted.isEmpty)
    #expect(refused == 20, "the disk was not full")
    // The figures are there although none could be written to the disk.
    let metrics = try LineClient(port: metricsPort)
    try metrics.send("GET /metrics HTTP/1.1\r\n\r\n")
    let text = try metrics.readToEnd()
    #expect(
      text.contains("\nsimplex_smp_store_failing 1\n") && text.contains("\nsimplex_smp_store_failures_total 20\n"))
    // Reading still works, and with more space everything does.
    #expect(try await client.ask(.ping) == .pong)
    try disk.resize(megabytes: 16)
    var received: [UInt8] = []
    for queue in queues {
      while case .msg(let message) = try await client.ask(.get, queue.recipient, key: queue.key) {
        let (id, body) = try queue.body(.msg(message))
        received.append(body[0])
        #expect(try await client.acknowledge(id, queue) == .ok)
      }
    }
    #expect(received.sorted() == accepted.sorted())
    process.terminate()
    try await process.waitForExit()
    // One line for all refused messages.
    let log = process.rest()
    #expect(log.matches(of: /The store fails: no space is left on the disk/).count == 1, "\(log)")
    try SQLiteConnection(path: program.database).checkIntegrity()
  }
}

/// A file system in memory.
private struct SmallDisk {
  let folder: URL

  static var isPossible: Bool {
    #if os(Linux)
      let types = (try? String(contentsOfFile: "/proc/filesystems", encoding: .utf8)) ?? ""
      return getuid() == 0 && types.contains("tmpfs") && FileManager.default.isExecutableFile(atPath: "/bin/mount")
    #else
      return false
    #endif
  }

  init(_ folder: URL, megabytes: Int) throws {
    self.folder = folder
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Self.run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", folder.path)
  }

  func resize(megabytes: Int) throws { try Self.run("mount", "-o", "remount,size=\(megabytes)m", folder.path) }

  func unmount() { try? Self.run("umount", "-l", folder.path) }

  private static func run(_ arguments: String...) throws {
    let process = try Process.run(URL(filePath: "/usr/bin/env"), arguments: arguments)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw ServerProgram.Failed(output: "\(arguments)") }
  }
}
