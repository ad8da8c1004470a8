import AgentCore
import AgentProtocol
import SMPProtocol
import SimplexAgent
import WireCodec

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// `agent-peer DATABASE SERVER [SERVER …]`: an agent in a separate process, for tests and measurements.
///
/// It reads commands and writes results and events line by line: `invite [short]`, `address [short]`, `join LINK`,
/// `send CONNECTION TEXT`, `echo`, `memory`, `quit`. Every connection request is accepted. `up` reports the number of
/// connections subscribed so far, and the time in milliseconds.
@main
struct AgentPeer {
  static func main() async {
    let start = ContinuousClock.now
    let arguments = CommandLine.arguments
    guard arguments.count >= 3 else {
      say("usage: agent-peer DATABASE SERVER [SERVER ...]")
      exit(2)
    }
    do {
      let servers = try arguments.dropFirst(2).map {
        AgentUserServer(try ServerWithAuth<SMPScheme>.textCodec.decode(text: $0))
      }
      let agent = try await Agent.open(path: arguments[1])
      let user = try await theUser(of: agent, servers)
      try await agent.subscribeAll()
      let peer = Peer(agent, of: user, start: start)
      let events = Task { await peer.readEvents() }
      say("ready")
      for await line in lines() {
        if line == "quit" { break }
        await peer.carryOut(line.split(separator: " ", maxSplits: 2).map(String.init))
      }
      await agent.close()
      await events.value
      say("closed")
    } catch {
      say("failed \(error)")
      exit(1)
    }
  }

  /// The first user, who is created in a new database.
  private static func theUser(of agent: Agent, _ servers: [AgentUserServer]) async throws(AgentError) -> UserID {
    do throws(AgentError) {
      try await agent.setServers(servers, for: UserID(rawValue: 1))
      return UserID(rawValue: 1)
    } catch .noUser {
      return try await agent.createUser(servers: servers)
    }
  }

  /// The lines of the input, read on a thread of their own.
  private static func lines() -> AsyncStream<String> {
    AsyncStream { continuation in
      let reader = Task.detached {
        while let line = readLine() { continuation.yield(line) }
        continuation.finish()
      }
      continuation.onTermination = { _ in reader.cancel() }
    }
  }

  /// Resident memory in KiB and its maximum; 0 where it is unknown.
  static var memory: (now: Int, peak: Int) {
    guard let file = fopen("/proc/self/status", "r") else { return (0, 0) }
    defer { fclose(file) }
    var memory = (now: 0, peak: 0)
    var buffer = [CChar](repeating: 0, count: 256)
    while fgets(&buffer, Int32(buffer.count), file) != nil {
      let line = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      let words = line.split(whereSeparator: \.isWhitespace)
      guard words.count >= 2, let value = Int(words[1]) else { continue }
      if words[0] == "VmRSS:" { memory.now = value }
      if words[0] == "VmHWM:" { memory.peak = value }
    }
    return memory
  }
}

/// Executes commands and writes events.
private actor Peer {
  private let agent: Agent
  private let user: UserID
  private let start: ContinuousClock.Instant
  private var echoes = false
  private var upCount = 0

  init(_ agent: Agent, of user: UserID, start: ContinuousClock.Instant) {
    self.agent = agent
    self.user = user
    self.start = start
  }

  func carryOut(_ words: [String]) async {
    do {
      switch words.first {
      case "invite": try await create(.invitation, isShort: words.count > 1)
      case "address": try await create(.contact, isShort: words.count > 1)
      case "join" where words.count == 2: try await join(words[1])
      case "send" where words.count == 3:
        let connection = ConnectionID(Base64URL.decode(words[1]) ?? [])
        let message = try await agent.send(connection, body: Array(words[2].utf8))
        say("sending \(connection) \(message.id.rawValue)")
      case "echo": echoes = true
      case "memory": say("memory \(AgentPeer.memory.now) \(AgentPeer.memory.peak)")
      default: say("unknown command")
      }
    } catch {
      say("error \(error)")
    }
  }

  private func create(_ mode: ConnectionMode, isShort: Bool) async throws {
    let kind = mode == .contact ? UserLinkData.Kind.contact(ContactLinkData(isDirect: true)) : .invitation
    let data = isShort ? UserLinkData(agentVersions: AgentVersion.supported, kind: kind, content: []) : nil
    let (connection, link) = try await agent.createConnection(user, mode: mode, linkData: data)
    let text = try link.short.map { try ShortLink.textCodec.text($0) } ?? ConnectionRequest.textCodec.text(link.full)
    say("link \(connection) \(text)")
  }

  private func join(_ text: String) async throws {
    let request: ConnectionRequest
    if let short = try? ShortLink.textCodec.decode(text: text) {
      request = try await agent.getLinkData(user, short).request
    } else {
      request = try ConnectionRequest.textCodec.decode(text: text)
    }
    let (connection, _) = try await agent.join(user, request, info: [])
    say("joined \(connection)")
  }

  func readEvents() async {
    for await event in agent.events {
      do {
        try await handle(event)
        if let id = event.id { try await agent.confirmEvents(through: id) }
      } catch {
        say("error \(error)")
      }
    }
  }

  private func handle(_ event: AgentEvent) async throws {
    if case .up(_, let connections) = event.kind {
      upCount += connections.count
      say("up \(upCount) \((ContinuousClock.now - start) / .milliseconds(1))")
    }
    guard let connection = event.connection else { return }
    switch event.kind {
    case .confirmation(let id, _, _, _): try await agent.allow(connection, id, info: [])
    case .request(let id, _, _, _): _ = try await agent.acceptContact(user, id, info: [])
    case .connected: say("connected \(connection)")
    case .message(let metadata, _, let body):
      say("message \(connection) \(String(decoding: body, as: UTF8.self))")
      if echoes { _ = try await agent.send(connection, body: body) }
      try await agent.ack(connection, metadata.id)
    case .sent(let message, _): say("sent \(connection) \(message.id.rawValue)")
    case .failed(let error): say("error \(error)")
    default: break
    }
  }
}

/// Writes a line and flushes it for readers of a pipe.
private func say(_ text: String) {
  let bytes = Array((text + "\n").utf8)
  _ = write(1, bytes, bytes.count)
}
