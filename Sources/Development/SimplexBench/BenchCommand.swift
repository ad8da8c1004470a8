import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// `SimplexBench [--json FILE] [SUITE …]`: runs all suites, or those whose names begin with one of the arguments.
@main
struct BenchCommand {
  /// Every suite, in the order of printing.
  static let suites: [(name: String, run: @Sendable (Bench) async throws -> Void)] = [
    ("codec", codecSuite),
    ("json", jsonSuite),
    ("smp", smpProtocolSuite),
    ("kem", kemSuite),
    ("ratchet", ratchetSuite),
    ("chat-api", chatAPISuite),
    ("chat-store", chatStoreSuite),
    ("chat-state", chatStateSuite),
    ("chat-protocol", chatProtocolSuite),
    ("store", queueStoreSuite),
    ("crypto", cryptoSuite),
    ("commands", chatCommandSuite),
    ("transport", transportSuite),
    ("relay", relaySuite),
    ("relay-large", largeRelaySuite),
    ("relay-hostile", hostileRelaySuite),
    ("hostile-peer", hostilePeerSuite),
    ("agent", agentSuite),
    ("files", filesSuite),
    ("files-limits", filesLimitsSuite),
    ("chat-core", chatCoreSuite),
    ("chat-files", chatFilesSuite),
    ("calls", callsSuite),
    ("remote", remoteSuite),
    ("import", importSuite),
    ("groups", groupsSuite),
    ("groups-pq", postQuantumGroupsSuite),
    ("groups-joining", groupJoiningSuite),
    ("groups-idle", idleGroupsSuite),
  ]

  /// The servers that this tool runs in separate processes; see ``ServerProcess``.
  static let servers: [String: @Sendable () async throws -> Void] = [
    "transport": serveTransport, "relay": serveRelay, "group-member": serveGroupMember,
    "group-peers": serveGroupPeers, "group-newcomer": serveGroupNewcomer, "group-idle": serveIdleGroups,
    "files": serveFiles, "hostile": serveHostileClients, "hostile-files": serveHostileFileClients,
    "answering-chat": serveAnsweringChat, "hostile-contact": serveHostileContact,
    "hostile-file-relay": serveHostileFileRelay, "remote-phone": serveRemotePhone,
  ]

  static func main() async {
    // A process that was written to may have exited.
    signal(SIGPIPE, SIG_IGN)
    do {
      try await run()
    } catch {
      FileHandle.standardError.write(Data("SimplexBench: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run() async throws {
    if CommandLine.arguments.count >= 3, CommandLine.arguments[1] == "--serve" {
      guard let serve = servers[CommandLine.arguments[2]] else { throw BenchError.noServer }
      return try await serve()
    }
    var wanted: [String] = []
    var jsonFile: String?
    var arguments = CommandLine.arguments.dropFirst().makeIterator()
    while let argument = arguments.next() {
      if argument == "--json" { jsonFile = arguments.next() } else { wanted.append(argument) }
    }
    var figures: [Figure] = []
    Table.printHeader()
    for suite in suites where wanted.isEmpty || wanted.contains(where: suite.name.hasPrefix) {
      let bench = Bench(suite: suite.name)
      try await suite.run(bench)
      figures += bench.figures
    }
    if let jsonFile { try write(Table.json(figures), to: jsonFile) }
  }

  private static func write(_ text: String, to path: String) throws {
    guard let file = fopen(path, "w") else { throw BenchError.cannotWrite(path) }
    defer { fclose(file) }
    guard fputs(text, file) >= 0 else { throw BenchError.cannotWrite(path) }
  }
}

enum BenchError: Error, CustomStringConvertible {
  case cannotWrite(String)
  /// A hostile peer that did nothing, so that nothing was measured.
  case idlePeer(String)
  case noServer
  /// The output of `agent-peer`, or its exit status.
  case peer(String)
  /// The failure of `smp-server`, `smp-bench` or `xftp`.
  case program(String)
  case unexpected

  var description: String {
    switch self {
    case .cannotWrite(let path): "cannot write \(path)"
    case .idlePeer(let peer): "\(peer) that should be hostile did nothing"
    case .noServer: "a server does not answer"
    case .peer(let reason):
      "\(reason): the agent-peer beside SimplexBench has to be of the same version; build it with"
        + " swift build -c release --product agent-peer"
    case .program(let reason):
      "\(reason); smp-server, smp-bench and xftp have to be beside SimplexBench, of the same version"
    case .unexpected: "what was measured did something else"
    }
  }
}
