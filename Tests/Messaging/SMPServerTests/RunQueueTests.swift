import NIOCore
import NIOPosix
import SimplexTransport
import Testing

@testable import SMPServer

/// The order in which the connections of an event loop are served, and what the loop does between time slices.
@Suite struct RunQueueTests {
  /// A connection whose commands take a millisecond for each time slice. Used on its event loop alone.
  private final class Connection: TimeSliced {
    let name: Int
    var paid: VirtualClock.Time
    var pendingCount: Int
    private let served: (Connection) -> Void

    init(_ name: Int, paid: VirtualClock.Time, commands: Int, served: @escaping (Connection) -> Void) {
      (self.name, self.paid, self.served) = (name, paid, served)
      pendingCount = commands
    }

    func runTimeSlice() {
      let end = NIODeadline.now() + .milliseconds(1)
      while .now() < end {}
      served(self)
    }
  }

  /// The names in the order in which connections were served, each once; all wait at first.
  private func order(pause: Int64, of connections: [(paid: VirtualClock.Time, commands: Int)]) async throws -> [Int] {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let finished = loop.makePromise(of: [Int].self)
    loop.execute {
      let queue = EventLoopShares.RunQueue(loop, EventLoopPasses(loop), pause: pause, room: 0)
      var names: [Int] = []
      for (name, connection) in connections.enumerated() {
        queue.add(
          Connection(name, paid: connection.paid, commands: connection.commands) { served in
            names.append(served.name)
            if names.count == connections.count { finished.succeed(names) }
            _ = queue
          })
      }
    }
    return try await finished.futureResult.get()
  }

  @Test func whoHasUsedLeastComesFirst() async throws {
    let order = try await order(pause: 0, of: [(9_000_000, 1), (3_000_000, 1), (6_000_000, 1), (3_000_000, 1)])
    #expect(order == [1, 3, 2, 0])
  }

  @Test func fewCommandsComeBeforeMany() async throws {
    #expect(try await order(pause: 0, of: [(0, 250), (0, 1), (0, 30), (0, 1)]) == [1, 3, 2, 0])
  }

  @Test func nobodyOvertakesWhereTheTimeIsLimited() async throws {
    #expect(try await order(pause: 1, of: [(9_000_000, 250), (0, 1), (3_000_000, 1)]) == [0, 1, 2])
  }

  /// Something arrives while a connection always has commands: it is read after a time slice or two.
  @Test func theLoopLooksForInputBetweenTimeSlices() async throws {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let finished = loop.makePromise(of: (slices: Int, arrived: Int).self)
    loop.execute {
      let queue = EventLoopShares.RunQueue(loop, EventLoopPasses(loop), pause: 0, room: 0)
      // A pipe of its own: its event is input like any other.
      let input = EventLoopPasses(loop)
      var (slices, arrived) = (0, 0)
      queue.add(
        Connection(0, paid: 0, commands: 1) { connection in
          slices += 1
          if slices == 10 { input.perform { arrived = slices } }
          if slices < 100 { queue.add(connection) } else { finished.succeed((slices, arrived)) }
        })
    }
    let (slices, arrived) = try await finished.futureResult.get()
    #expect(slices == 100)
    #expect((10...13).contains(arrived))
  }
}
