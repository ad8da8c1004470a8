import SimplexTransport
import Testing

@Suite("Blocks")
struct BlockTests {
  @Test("Blocks arrive whole and in order, alone or many at once")
  func order() async throws {
    let server = try await EchoServer()
    let client = try await server.connect()
    var blocks = client.blocks.makeAsyncIterator()
    try await client.send(block(1))
    #expect(try await blocks.next() == block(1))
    try await client.send(block(2), block(3), block(4))
    for byte: UInt8 in 2...4 { #expect(try await blocks.next() == block(byte)) }
    await server.server.close()
    #expect(try await blocks.next() == nil)
  }

  @Test("Only blocks can be sent", arguments: [0, 1, transportBlockSize - 1, transportBlockSize + 1])
  func size(count: Int) async throws {
    let server = try await EchoServer()
    let client = try await server.connect()
    await #expect(throws: TransportError.blockSize(count)) {
      try await client.send([UInt8](repeating: 0, count: count))
    }
    // The connection is still good.
    try await client.send(block(7))
    var blocks = client.blocks.makeAsyncIterator()
    #expect(try await blocks.next() == block(7))
    await server.server.close()
  }

  @Test("An orderly close ends both sides without error")
  func close() async throws {
    let server = try await EchoServer()
    let client = try await server.connect()
    try await client.send(block(1))
    client.close()
    await #expect(throws: TransportError.closed) { try await client.send(block(2)) }
    for try await _ in client.blocks {}
    try await eventually("the server saw the end") { server.log.endings == [nil] }
    try await eventually("nothing is open") { server.server.counts.open == 0 }
    await server.server.close()
  }

  @Test("Everything written before a close arrives, even if it is closed twice")
  func closeKeepsOrder() async throws {
    let server = try await EchoServer()
    let client = try await server.connect()
    try await eventually("the server accepted") { !server.log.connections.isEmpty }
    let connection = try #require(server.log.connections.first)
    // More than the system takes at once, so that most of it waits when the close comes.
    let count = 500
    connection.perform {
      for index in 0..<count { try? connection.write(block(UInt8(truncatingIfNeeded: index)).span.bytes) }
      connection.flush()
      connection.close()
      connection.close()
    }
    var received = 0
    for try await echoed in client.blocks {
      #expect(echoed.first == UInt8(truncatingIfNeeded: received))
      received += 1
    }
    #expect(received == count)
    try await eventually("the server closed in order") { server.log.endings == [nil] }
    await server.server.close()
  }

  @Test("A client that does not read makes the server stop reading, and nothing is lost")
  func backPressure() async throws {
    let server = try await EchoServer()
    let client = try await server.connect()
    let count = 1000
    let sender = Task {
      for index in 0..<count { try await client.send(block(UInt8(truncatingIfNeeded: index))) }
    }
    // Far less than was sent fits between the two, so the server has to stop before the end.
    var previous = -1
    while server.log.blocks != previous || previous == 0 {
      previous = server.log.blocks
      try await Task.sleep(for: .milliseconds(300))
    }
    #expect(previous < count)
    var received = 0
    for try await echoed in client.blocks {
      #expect(echoed.first == UInt8(truncatingIfNeeded: received))
      received += 1
      if received == count { break }
    }
    try await sender.value
    #expect(received == count)
    await server.server.close()
  }

  @Test("A client that never reads is given up")
  func stalledClient() async throws {
    let server = try await EchoServer { $0.stallTimeout = .milliseconds(300) }
    let client = try await server.connect()
    let sender = Task {
      while true { try await client.send(block(0)) }
    }
    try await eventually("the server gave up") { server.log.endings == [.stalled] }
    await #expect(throws: TransportError.self) { try await sender.value }
    await server.server.close()
  }

  @Test("Hundreds of connections at once")
  func manyConnections() async throws {
    let server = try await EchoServer()
    try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for index in 0..<300 {
        group.addTask {
          let client = try await server.connect()
          try await client.send(block(UInt8(truncatingIfNeeded: index)))
          var blocks = client.blocks.makeAsyncIterator()
          #expect(try await blocks.next() == block(UInt8(truncatingIfNeeded: index)))
          return client.session.identifier
        }
      }
      var sessions: Set<[UInt8]> = []
      for try await session in group { sessions.insert(session) }
      #expect(sessions.count == 300)
    }
    try await eventually("all closed") { server.log.endings.count == 300 }
    #expect(server.server.counts.accepted == 300)
    await server.server.close()
  }
}
