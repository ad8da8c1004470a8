import AgentCore
import Testing

@testable import SimplexAgent

@Suite struct AgentEventChannelTests {
  private func event(_ number: Int) -> AgentEvent { AgentEvent(connection: ConnectionID([UInt8(number % 256)]), .done) }

  @Test func eventsComeInOrderAndEnd() async {
    let channel = AgentEventChannel(limit: 4)
    let events = AgentEvents(channel: channel)
    let reader = Task {
      var numbers: [UInt8] = []
      for await event in events { numbers += event.connection?.bytes ?? [] }
      return numbers
    }
    for number in 0..<3_000 {
      await channel.waitForRoom()
      channel.send([event(number)])
    }
    channel.finish()
    #expect(await reader.value == (0..<3_000).map { UInt8($0 % 256) })
  }

  @Test func writersWaitForTheReader() async {
    let channel = AgentEventChannel(limit: 2)
    channel.send([event(0), event(1)])
    let writer = Task {
      await channel.waitForRoom()
      channel.send([event(2)])
    }
    for number in 0..<3 { #expect(await channel.next()?.connection?.bytes == [UInt8(number)]) }
    await writer.value
  }

  @Test func aCancelledReaderGetsNothing() async {
    let channel = AgentEventChannel(limit: 2)
    let reader = Task { await channel.next() }
    reader.cancel()
    #expect(await reader.value == nil)
    channel.send([event(1)])
    #expect(await channel.next() != nil, "the event is there for the next reader")
  }

  @Test func theEndLetsWritersGo() async {
    let channel = AgentEventChannel(limit: 1)
    channel.send([event(0)])
    let writer = Task { await channel.waitForRoom() }
    channel.finish()
    await writer.value
    #expect(await channel.next() != nil)
    #expect(await channel.next() == nil)
  }
}
