import Foundation
import RelayChassis
import SimplexTesting
import Testing

/// What a service manager is told.
@Suite struct ServiceManagerTests {
  private static var path: String { "/tmp/notify-\(UUID().uuidString.prefix(8))" }

  @Test func statesAreSentToASocket() throws {
    #if os(Linux)
      let names = [Self.path, "@" + Self.path]
    #else
      let names = [Self.path]
    #endif
    for name in names {
      let socket = try NotifySocket(name)
      let manager = ServiceManager(socketName: name)
      #expect(manager.tell(.ready))
      #expect(try socket.next() == "READY=1")
      #expect(manager.tell(.reloading))
      let lines = try socket.next().split(separator: "\n")
      #expect(lines.count == 2 && lines[0] == "RELOADING=1" && lines[1].hasPrefix("MONOTONIC_USEC="))
      #expect(manager.tell(.stopping))
      #expect(try socket.next() == "STOPPING=1")
    }
  }

  /// Nobody is there, or the name cannot be one: nothing happens.
  @Test func withoutAManagerNothingIsTold() {
    let names = [nil, "", "relative", Self.path, "/" + String(repeating: "a", count: 200), "@"]
    for name in names { #expect(!ServiceManager(socketName: name).tell(.ready), "\(name ?? "none")") }
  }

  /// The program is ready when clients can connect, and tells when it reads its settings again and when it stops.
  @Test(.timeLimit(.minutes(2))) func theServerTellsItsState() async throws {
    let socket = try NotifySocket(Self.path)
    let program = try ServerProgram(notifySocket: socket.name)
    defer { program.remove() }
    try program.run(["init", "-y", "--no-password", "--ip", "127.0.0.1", "--port", "0"])
    let running = try await program.start()
    #expect(try socket.next() == "READY=1")
    #expect(try await running.client().ask(.ping) == .pong)
    _ = try running.reload(until: "Reloaded")
    #expect(try socket.next().hasPrefix("RELOADING=1\n"))
    #expect(try socket.next() == "READY=1")
    // Settings that cannot be used leave it ready, too.
    let ini = program.folder.appending(path: "config/smp-server.ini")
    try Data("nonsense\n".utf8).write(to: ini)
    _ = try running.reload(until: "Not reloaded")
    #expect(try socket.next().hasPrefix("RELOADING=1\n"))
    #expect(try socket.next() == "READY=1")
    running.terminate()
    #expect(try socket.next() == "STOPPING=1")
    try await running.waitForExit()
  }
}
