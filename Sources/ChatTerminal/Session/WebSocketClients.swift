/// The connected clients, and what they have to be told.
actor WebSocketClients {
  private struct Client {
    let events: AsyncStream<[UInt8]>.Continuation
    let dropped: AsyncStream<Void>.Continuation
    var waiting = 0
  }

  /// Events that may wait for one client.
  private let limit: Int
  private var clients: [Int: Client] = [:]
  private var last = 0
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var hasEnded = false

  /// No clients yet.
  init(limit: Int = 1_024) { self.limit = limit }

  /// A new client: its number, what it is told, and what ends when it is given up.
  func add() -> (number: Int, events: AsyncStream<[UInt8]>, dropped: AsyncStream<Void>) {
    last += 1
    let (events, event) = AsyncStream.makeStream(of: [UInt8].self)
    let (dropped, drop) = AsyncStream.makeStream(of: Void.self)
    clients[last] = Client(events: event, dropped: drop)
    wake()
    return (last, events, dropped)
  }

  /// One event more has reached a client.
  func sent(_ number: Int) {
    clients[number]?.waiting -= 1
    wake()
  }

  func remove(_ number: Int) {
    clients[number] = nil
    wake()
  }

  func end() {
    hasEnded = true
    wake()
  }

  private func wake() {
    for waiter in waiting { waiter.resume() }
    waiting = []
  }

  /// Tells all clients, once one has room.
  func send(_ text: [UInt8]) async {
    while !hasEnded, clients.values.allSatisfy({ $0.waiting >= limit }) {
      await withCheckedContinuation { waiting.append($0) }
    }
    for (number, client) in clients {
      if client.waiting < limit {
        client.events.yield(text)
        clients[number]?.waiting += 1
      } else {
        client.dropped.finish()
        clients[number] = nil
      }
    }
  }
}
