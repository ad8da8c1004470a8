import SimplexTransport

/// TLS and blocks between two processes on this machine: one is the server, this one is the client.
func transportSuite(_ bench: Bench) async throws {
  raiseFileLimit()
  let server = try ServerProcess("transport")
  defer { server.stop() }
  guard let port = server.greeting.first.flatMap({ Int($0) }) else { throw BenchError.noServer }
  let client = try TransportClient(TLSClientConfiguration(applicationProtocols: ["smp/1"]))

  try await measureBlocks(bench, server: server, client: client, port: port)
  try await measureConnections(bench, server: server, client: client, port: port)
}

private func measureBlocks(_ bench: Bench, server: ServerProcess, client: TransportClient, port: Int) async throws {
  let peer = try await BenchClient.connect(client, port: port)
  try await peer.echo(1000, window: 1)
  let clock = ContinuousClock()

  var count = 10_000
  var elapsed = try await clock.measure { try await peer.echo(count, window: 1) }
  bench.record("round trip of a block", elapsed.inSeconds / Double(count) * 1e6, unit: "µs", lessIsBetter: true)

  count = 50_000
  let processorTime = server.processorSeconds
  elapsed = try await clock.measure { try await peer.push(count) }
  let perBlock = (server.processorSeconds - processorTime) / Double(count)
  bench.record("blocks one way", Double(count) / elapsed.inSeconds, unit: "/s", note: "one connection")
  bench.record("server CPU per block received", perBlock * 1e6, unit: "µs", lessIsBetter: true)

  elapsed = try await clock.measure { try await peer.echo(count, window: 16) }
  bench.record(
    "blocks there and back", Double(count) / elapsed.inSeconds, unit: "/s", note: "one connection, 16 at a time")
  peer.close()
}

private func measureConnections(
  _ bench: Bench, server: ServerProcess, client: TransportClient, port: Int
) async throws {
  // The first ones bring the server to its working size.
  var peers = try await connectMany(client, port, count: 200)
  for peer in peers { try await peer.echo(1, window: 1) }
  let memory = server.residentBytes
  let processorTime = server.processorSeconds
  let count = 3000
  var more: [BenchClient] = []
  let elapsed = try await ContinuousClock().measure { more = try await connectMany(client, port, count: count) }
  bench.record(
    "TLS connections", Double(count) / elapsed.inSeconds, unit: "/s", goal: 400, reference: 85,
    note: "client and server on the same cores")
  bench.record(
    "server CPU per connection", (server.processorSeconds - processorTime) / Double(count) * 1e3, unit: "ms",
    lessIsBetter: true)
  for peer in more { try await peer.echo(1, window: 1) }
  bench.record(
    "server RSS per idle connection", (server.residentBytes - memory) / Double(count) / 1e3, unit: "KB", goal: 40,
    reference: 270, lessIsBetter: true, note: "after a block each way")
  peers += more
  for peer in peers { peer.close() }
}

private func connectMany(_ client: TransportClient, _ port: Int, count: Int) async throws -> [BenchClient] {
  try await withThrowingTaskGroup(of: BenchClient.self) { group in
    var peers: [BenchClient] = []
    for index in 0..<count {
      if index >= 32, let peer = try await group.next() { peers.append(peer) }
      group.addTask { try await BenchClient.connect(client, port: port) }
    }
    for try await peer in group { peers.append(peer) }
    return peers
  }
}
