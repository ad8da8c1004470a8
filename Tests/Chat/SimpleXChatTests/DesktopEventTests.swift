import ChatAPI
import RemoteControlProtocol
import Synchronization
import Testing

@testable import SimpleXChat

/// Events for a desktop that controls this device.
@Suite struct DesktopEventTests {
  private static func event(_ text: String) -> ChatEventQueue.Element {
    .result(.timedAction(action: text, durationMilliseconds: 1))
  }

  private static func json(_ text: String) -> RemoteResult? { RemoteResult(event(text)) }

  @Test func arriveInOrderAndOnce() async {
    let events = DesktopEventQueue {}
    for number in 0..<1_000 { events.push(Self.event("\(number)")) }
    for number in 0..<1_000 { #expect(await events.next(within: .zero) == Self.json("\(number)")) }
    #expect(await events.next(within: .milliseconds(1)) == nil)
    #expect(await events.next(within: .seconds(-1)) == nil)
  }

  @Test func requestsWait() async {
    let events = DesktopEventQueue {}
    async let first = events.next(within: .seconds(60))
    async let second = events.next(within: .seconds(60))
    try? await Task.sleep(for: .milliseconds(20))
    events.push(Self.event("a"))
    events.push(Self.event("b"))
    let found = await [first, second]
    #expect(found.contains(Self.json("a")) && found.contains(Self.json("b")))
  }

  @Test func theEndAnswersRequests() async {
    let events = DesktopEventQueue {}
    async let waiting = events.next(within: .seconds(60))
    try? await Task.sleep(for: .milliseconds(20))
    events.close()
    #expect(await waiting == nil)
    events.push(Self.event("late"))
    #expect(await events.next(within: .seconds(60)) == nil)
  }

  @Test func aDesktopThatDoesNotReadIsNoticed() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    let events = DesktopEventQueue(limit: 100, patience: .milliseconds(20)) { continuation.yield() }
    #expect(events.hasRoom)
    events.push(Self.event("long".repeated(100)))
    #expect(!events.hasRoom)
    // Events of commands do not wait.
    events.push(Self.event("more"))
    for await _ in stream { break }
    #expect(await events.next(within: .zero) != nil)
    #expect(events.hasRoom)
  }

  /// The queue of the core passes events on, except those that are about the session.
  @Test func areMovedFromThisDevice() async {
    let (queue, desktop) = (ChatEventQueue(limit: 10), DesktopEventQueue(limit: 100) {})
    let all = queue.subscribe()
    _ = await queue.next(within: .zero)
    queue.moveEvents(to: desktop)
    queue.push(Self.event("moved"))
    queue.push(.result(.chatSuspended))
    guard case .result(.chatSuspended)? = await queue.next(within: .zero) else {
      Issue.record("not the event of this device")
      return
    }
    #expect(await desktop.next(within: .zero) == Self.json("moved"))
    #expect(await all.next(within: .zero).flatMap { RemoteResult($0) } == Self.json("moved"))
    // Bots see all of them.
    queue.moveEvents(to: desktop, sharing: true)
    queue.push(Self.event("shared"))
    #expect(await queue.next(within: .zero).flatMap { RemoteResult($0) } == Self.json("shared"))
    #expect(await desktop.next(within: .zero) == Self.json("shared"))
    desktop.push(Self.event("long".repeated(100)))
    #expect(!queue.hasRoom)
    // Another session has begun since.
    queue.keepEvents(from: DesktopEventQueue {})
    #expect(!queue.hasRoom)
    queue.keepEvents(from: desktop)
    #expect(queue.hasRoom)
    queue.push(Self.event("kept"))
    #expect(await queue.next(within: .zero).flatMap { RemoteResult($0) } == Self.json("kept"))
  }
}

extension String {
  fileprivate func repeated(_ count: Int) -> String { String(repeating: self, count: count) }
}
