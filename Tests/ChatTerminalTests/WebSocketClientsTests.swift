import Testing

@testable import ChatTerminal

@Suite(.timeLimit(.minutes(1))) struct WebSocketClientsTests {
  /// A client that reads nothing is given up as soon as another one is too far ahead; that one misses nothing.
  @Test func whoFallsBehindIsDropped() async {
    let clients = WebSocketClients(limit: 4)
    let (_, slow, dropped) = await clients.add()
    let (number, events, _) = await clients.add()
    let reading = Task {
      var seen: [UInt8] = []
      for await event in events {
        seen += event
        await clients.sent(number)
        if seen.count == 20 { break }
      }
      return seen
    }
    for byte in 0..<20 { await clients.send([UInt8(byte)]) }
    #expect(await reading.value == Array(0..<20))
    for await _ in dropped {}
    await clients.end()
    _ = slow
  }

  /// A client alone is waited for.
  @Test func whoIsAloneIsWaitedFor() async {
    let clients = WebSocketClients(limit: 2)
    let (number, events, _) = await clients.add()
    let sending = Task { for byte in 0..<10 { await clients.send([UInt8(byte)]) } }
    var seen: [UInt8] = []
    for await event in events {
      seen += event
      await clients.sent(number)
      if seen.count == 10 { break }
    }
    #expect(seen == Array(0..<10))
    await sending.value
    // Nobody is left: what follows waits for the next client.
    await clients.remove(number)
    let waiting = Task { await clients.send([42]) }
    let (_, later, _) = await clients.add()
    for await event in later {
      #expect(event == [42])
      break
    }
    await waiting.value
    await clients.end()
  }
}
