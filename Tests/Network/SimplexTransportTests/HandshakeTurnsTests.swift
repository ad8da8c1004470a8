import NIOCore
import NIOPosix
import Testing

@testable import SimplexTransport

@Suite struct HandshakeTurnsTests {
  /// Used on its event loop alone.
  private final class Log {
    var done: [Int] = []
    /// How many steps were done whenever the event loop did something else.
    var seen: Set<Int> = []

    func look(_ loop: any EventLoop) {
      seen.insert(done.count)
      if done.count < 50 { loop.assumeIsolated().scheduleTask(in: .microseconds(200)) { self.look(loop) } }
    }
  }

  /// Handshakes that came at once are done in their order, and the event loop does other things in between.
  @Test func handshakesLeaveTimeForOthers() async throws {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let finished = loop.makePromise(of: (done: [Int], seen: Set<Int>).self)
    loop.execute {
      let (log, turns) = (Log(), HandshakeTurns(loop))
      for number in 0..<50 {
        turns.add {
          let end = NIODeadline.now() + .milliseconds(1)
          while .now() < end {}
          log.done.append(number)
          if number == 49 { finished.succeed((log.done, log.seen)) }
        }
      }
      log.look(loop)
    }
    let (done, seen) = try await finished.futureResult.get()
    #expect(done == Array(0..<50))
    // Two steps of a millisecond are a turn.
    #expect(seen.count >= 10)
  }

  /// Something arrives while handshakes wait: it is read after a turn or two.
  @Test func theLoopLooksForInputBetweenTurns() async throws {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let finished = loop.makePromise(of: Int.self)
    loop.execute {
      // A pipe of its own: its event is input like any other.
      let (turns, input) = (HandshakeTurns(loop), EventLoopPasses(loop))
      var (done, arrived) = (0, 0)
      for number in 0..<50 {
        turns.add {
          let end = NIODeadline.now() + .milliseconds(1)
          while .now() < end {}
          done += 1
          if number == 10 { input.perform { arrived = done } }
          if number == 49 { finished.succeed(arrived) }
        }
      }
    }
    let arrived = try await finished.futureResult.get()
    #expect((11...15).contains(arrived))
  }
}
