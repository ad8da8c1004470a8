import Foundation
import SMPProtocol
import SMPServer
import Testing

/// SIGHUP: what a running relay takes over from its files, and what it says of it.
@Suite(.timeLimit(.minutes(2))) struct ReloadTests {
  private let program: ServerProgram

  init() throws {
    program = try ServerProgram()
    try program.run(["init", "-y", "--no-password", "--ip", "127.0.0.1", "--port", "0"])
  }

  private var ini: URL { program.folder.appending(path: "config/smp-server.ini") }

  private func replace(_ old: String, with new: String) throws {
    let text = try String(contentsOf: ini, encoding: .utf8)
    try #require(text.contains(old))
    try text.replacingOccurrences(of: old, with: new).write(to: ini, atomically: true, encoding: .utf8)
  }

  @Test func settingsThatCanChange() async throws {
    defer { program.remove() }
    let running = try await program.start()
    let old = try await running.client()
    let queue = try await old.newQueue()
    #expect(try running.reload(until: "Reloaded").contains("Reloaded: nothing has changed"))

    try replace("# create_password =", with: "create_password = open-sesame")
    try replace("port = 0", with: "port = 1")
    try replace("expire_messages_days = 21", with: "expire_messages_days = 7\nnonsense = 1")
    let text = try running.reload(until: "a restart is needed")
    #expect(text.contains("Reloaded: [STORE_LOG] expire_messages_days, [AUTH] create_password\n"), "\(text)")
    #expect(text.contains("a restart is needed: [TRANSPORT] port\n"), "\(text)")
    #expect(text.contains("Warning: [STORE_LOG] nonsense is unknown"), "\(text)")
    #expect(!text.contains("sesame"))
    // It holds for open connections, which stay open, and for new ones at the same port.
    for client in [old, try await running.client()] {
      await #expect(throws: Unexpected.self) { try await client.newQueue() }
      _ = try await client.newQueue(auth: BasicAuth(Array("open-sesame".utf8)))
    }
    #expect(try await old.sendMessage([1], to: queue) == .ok)

    // What needs a restart is named again, what was taken over is not.
    let again = try running.reload(until: "a restart is needed")
    #expect(again.contains("Reloaded: nothing\n") && again.contains("[TRANSPORT] port"), "\(again)")

    // A file that cannot be used changes nothing.
    try replace("new_queues = on", with: "new_queues = maybe")
    let refused = try running.reload(until: "Not reloaded")
    #expect(
      refused.contains("the settings stay as they were: ") && refused.contains("new_queues is maybe"), "\(refused)")
    _ = try await old.newQueue(auth: BasicAuth(Array("open-sesame".utf8)))
    running.terminate()
    try await running.waitForExit()
  }

  @Test func certificates() async throws {
    defer { program.remove() }
    let running = try await program.start()
    let old = try await running.client()
    try program.run(["cert", "-a", "ED448"])
    #expect(try running.reload(until: "Reloaded").contains("Reloaded: the TLS certificate, for new connections"))
    // A client checks that the certificates of the handshake are those of TLS.
    let new = try await running.client()
    for client in [old, new] { _ = try await client.newQueue() }

    let key = program.folder.appending(path: "config/server.key")
    try "no key".write(to: key, atomically: true, encoding: .utf8)
    let refused = try running.reload(until: "Not reloaded")
    #expect(refused.contains("it is not a private key"), "\(refused)")

    // Another identity is another server.
    let other = try ServerProgram()
    defer { other.remove() }
    try other.run(["init", "-y", "--no-password"])
    func copy(_ files: [String]) throws {
      for file in files {
        let (from, to) = (
          other.folder.appending(path: "config/" + file), program.folder.appending(path: "config/" + file)
        )
        try Data(contentsOf: from).write(to: to)
      }
    }
    // No client would accept its certificate for this identity.
    try copy(["server.crt", "server.key"])
    let foreign = try running.reload(until: "eloaded")
    #expect(foreign.contains("a certificate was not issued by the next one of the chain"), "\(foreign)")
    _ = try await (try await running.client()).newQueue()
    try copy(["ca.crt", "ca.key", "fingerprint"])
    #expect(try running.reload(until: "Not reloaded").contains("those of another server"))
    _ = try await (try await running.client()).newQueue()
    running.terminate()
    try await running.waitForExit()
  }

  @Test func everyLineHasTheTime() async throws {
    defer { program.remove() }
    try replace("log_stats = off", with: "log_stats = on\nprometheus_interval = 60\nnonsense = 1")
    let running = try await program.start()
    for line in running.greeting.split(separator: "\n") {
      #expect(line.contains(#/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \S/#), "\(line)")
    }
    for part in [
      "Warning: [STORE_LOG] nonsense", "SMP server 0.", "Settings: ", "Server address: smp://",
      "Anybody can create queues",
      "kept in ", "after 21 days", "forwarded for anybody", "without traffic", "At most ", "Daily statistics: /",
      "Metrics: /", "Control port: off", "Listening on 127.0.0.1, port ",
    ] {
      #expect(running.greeting.contains(part), "\(part) in \(running.greeting)")
    }
    running.terminate()
    try await running.waitForExit()
  }
}
