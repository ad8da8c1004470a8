import ChatAPI
import SimpleXChat

/// The connected clients, the texts that wait to be sent to them, and their requests.
actor WebSocketClients {
  /// An event, or an error outside of commands.
  typealias Event = APIResult<ChatEvent>

  /// The number of unread messages that are read from the database at once.
  private static let pageSize = 50

  /// A text to send to a client.
  struct Text: Sendable {
    let bytes: [UInt8]
    /// Whether it is the response to the client's request, not an event.
    var isAnswer = false
  }

  private struct Client {
    let texts: AsyncStream<Text>.Continuation
    let dropped: AsyncStream<Void>.Continuation
    var waiting = 0
    /// How far it has got the unread messages; nil for a client that did not ask for them.
    var unread: UnreadDelivery?
    /// Resumed when the response to the client's request was sent. A client has one request at a time.
    var isAnswered: CheckedContinuation<Bool, Never>?
  }

  /// Events that may wait for one client.
  private let limit: Int
  private var clients: [Int: Client] = [:]
  private var last = 0
  private var requests: [UInt64: (client: Int, corrId: String)] = [:]
  private var lastRequest: UInt64 = 0
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var hasEnded = false

  /// No clients yet.
  init(limit: Int = 1_024) { self.limit = limit }

  /// Adds a client: its number, the texts to send to it, and a stream that ends when the client is disconnected.
  /// - Parameter wantsUnread: whether it gets the messages that are not read before new ones.
  func add(wantsUnread: Bool) -> (number: Int, texts: AsyncStream<Text>, dropped: AsyncStream<Void>) {
    last += 1
    let (texts, text) = AsyncStream.makeStream(of: Text.self)
    let (dropped, drop) = AsyncStream.makeStream(of: Void.self)
    clients[last] = Client(texts: text, dropped: drop, unread: wantsUnread ? UnreadDelivery() : nil)
    wake()
    return (last, texts, dropped)
  }

  /// Counts a text that was sent to a client.
  func sent(_ text: Text, to number: Int) {
    guard clients[number] != nil else { return }
    if text.isAnswer {
      clients[number]?.isAnswered?.resume(returning: true)
      clients[number]?.isAnswered = nil
    } else {
      clients[number]?.waiting -= 1
      wake()
    }
  }

  /// Removes a client, and ends its request.
  func remove(_ number: Int) {
    clients.removeValue(forKey: number)?.isAnswered?.resume(returning: false)
    wake()
  }

  /// Ends all requests. Sending no longer waits for clients.
  func end() {
    hasEnded = true
    for number in clients.keys {
      clients[number]?.isAnswered?.resume(returning: false)
      clients[number]?.isAnswered = nil
    }
    wake()
  }

  private func wake() {
    for waiter in waiting { waiter.resume() }
    waiting = []
  }

  // MARK: Events

  /// Queues an event for all clients, as soon as at least one of them has room.
  func send(_ event: Event) async {
    while !hasEnded, clients.values.allSatisfy({ $0.waiting >= limit }) {
      await withCheckedContinuation { waiting.append($0) }
    }
    let text = event.bytes
    for (number, client) in clients {
      guard client.waiting < limit else {
        client.dropped.finish()
        remove(number)
        continue
      }
      guard case .result(let value) = event, let part = clients[number]?.unread?.part(of: value) else {
        add(text, to: number)
        continue
      }
      switch part {
      case .all: add(text, to: number)
      case .items(let items): add(Event.result(items).bytes, to: number)
      case .nothing: break
      }
    }
  }

  private func add(_ text: [UInt8], to number: Int) {
    clients[number]?.texts.yield(Text(bytes: text))
    clients[number]?.waiting += 1
  }

  // MARK: Unread messages

  /// Sends the messages that are not read to a client that asked for them, as events of new ones, and returns when all
  /// are sent or the client is gone.
  func sendUnread(to number: Int, from core: ChatController) async {
    while !hasEnded, let unread = clients[number]?.unread, !unread.isComplete {
      do throws(ChatError) {
        let page = try await core.unreadItems(after: unread.sent, count: Self.pageSize)
        if page.isEmpty { clients[number]?.unread?.complete(held: unread.held) }
        for (user, items) in page {
          add(Event.result(.newChatItems(user: user, chatItems: items)).bytes, to: number)
          clients[number]?.unread?.add(upTo: items.last?.chatItem.meta.itemId ?? 0)
        }
      } catch {
        // Events that were held back come with the client's next connection.
        add(Event.error(error).bytes, to: number)
        clients[number]?.dropped.finish()
        return
      }
      while !hasEnded, let client = clients[number], client.waiting > 1 {
        await withCheckedContinuation { waiting.append($0) }
      }
    }
  }

  // MARK: Requests

  /// Posts a request of a client, and waits until its response was sent; false if the client is gone.
  func request(of client: Int, corrId: String, post: @escaping @Sendable (UInt64) async -> Void) async -> Bool {
    lastRequest += 1
    let number = lastRequest
    return await withCheckedContinuation { continuation in
      guard clients[client] != nil, !hasEnded else { return continuation.resume(returning: false) }
      clients[client]?.isAnswered = continuation
      requests[number] = (client, corrId)
      Task { await post(number) }
    }
  }

  /// Queues the response to a request for the client that made it; a no-op if the client is gone.
  func answer(_ number: UInt64, _ text: @Sendable (_ corrId: String) -> [UInt8]) {
    guard let request = requests.removeValue(forKey: number) else { return }
    clients[request.client]?.texts.yield(Text(bytes: text(request.corrId), isAnswer: true))
  }

  /// Queues the answer to a text that is no request, and waits until it was sent; false if the client is gone.
  func refuse(_ answer: [UInt8], for client: Int) async -> Bool {
    await withCheckedContinuation { continuation in
      guard clients[client] != nil, !hasEnded else { return continuation.resume(returning: false) }
      clients[client]?.isAnswered = continuation
      clients[client]?.texts.yield(Text(bytes: answer, isAnswer: true))
    }
  }
}
