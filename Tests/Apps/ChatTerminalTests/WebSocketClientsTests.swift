import ChatAPI
import Testing

@testable import ChatTerminal

@Suite(.timeLimit(.minutes(1))) struct WebSocketClientsTests {
  /// A client that reads nothing is given up as soon as another one is too far ahead; that one misses nothing.
  @Test func whoFallsBehindIsDropped() async {
    let clients = WebSocketClients(limit: 4)
    let (_, slow, dropped) = await clients.add(wantsUnread: false)
    let (number, events, _) = await clients.add(wantsUnread: false)
    let reading = Task {
      var seen: [[UInt8]] = []
      for await event in events {
        seen.append(event.bytes)
        await clients.sent(event, to: number)
        if seen.count == 20 { break }
      }
      return seen
    }
    for number in 0..<20 { await clients.send(Self.event(number)) }
    #expect(await reading.value == (0..<20).map { Self.event($0).bytes })
    for await _ in dropped {}
    await clients.end()
    _ = slow
  }

  /// A client alone is waited for.
  @Test func whoIsAloneIsWaitedFor() async {
    let clients = WebSocketClients(limit: 2)
    let (number, events, _) = await clients.add(wantsUnread: false)
    let sending = Task { for number in 0..<10 { await clients.send(Self.event(number)) } }
    var seen: [[UInt8]] = []
    for await event in events {
      seen.append(event.bytes)
      await clients.sent(event, to: number)
      if seen.count == 10 { break }
    }
    #expect(seen == (0..<10).map { Self.event($0).bytes })
    await sending.value
    // Nobody is left: what follows waits for the next client.
    await clients.remove(number)
    let waiting = Task { await clients.send(Self.event(42)) }
    let (_, later, _) = await clients.add(wantsUnread: false)
    for await event in later {
      #expect(event.bytes == Self.event(42).bytes)
      break
    }
    await waiting.value
    await clients.end()
  }

  /// A response keeps its place among the events, and goes to the client that asked only.
  @Test func aResponseIsOneOfTheTexts() async throws {
    let clients = WebSocketClients(limit: 4)
    let (asking, texts, _) = await clients.add(wantsUnread: false)
    let (_, others, _) = await clients.add(wantsUnread: false)
    let numbers = AsyncStream.makeStream(of: UInt64.self)
    let request = Task {
      await clients.request(of: asking, corrId: "7") { number in
        numbers.continuation.yield(number)
        numbers.continuation.finish()
      }
    }
    let number = try #require(await numbers.stream.first { _ in true })
    await clients.send(Self.event(1))
    await clients.answer(number) { Array($0.utf8) }
    await clients.send(Self.event(2))
    var seen: [[UInt8]] = []
    for await text in texts {
      seen.append(text.bytes)
      await clients.sent(text, to: asking)
      if seen.count == 3 { break }
    }
    #expect(seen == [Self.event(1).bytes, Array("7".utf8), Self.event(2).bytes])
    #expect(await request.value)
    var told: [[UInt8]] = []
    for await text in others {
      told.append(text.bytes)
      if told.count == 2 { break }
    }
    #expect(told == [Self.event(1).bytes, Self.event(2).bytes])
    // A request of a client that is gone ends.
    let pending = Task { await clients.request(of: asking, corrId: "8") { _ in await clients.remove(asking) } }
    #expect(await pending.value == false)
    await clients.end()
  }

  private static func event(_ number: Int) -> WebSocketClients.Event {
    .result(.hostConnected(protocol: .smp, transportHost: "relay\(number)"))
  }
}
