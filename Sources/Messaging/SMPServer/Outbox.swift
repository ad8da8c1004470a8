import QueueStore
import SMPProtocol
import SMPServerCore

/// The responses waiting to be sent on one connection, bounded: messages that a slow client does not take are left in
/// the store and read again when it does.
struct Outbox {
  enum Item {
    case response(Response)
    /// A message of a queue that was dropped from memory.
    case reread(Response, QueueNumber, messageID: [UInt8], secret: [UInt8])
  }

  /// The size of message bodies in memory, in bytes, above which further ones are dropped.
  private static let bodyLimit = 256 * 1024
  /// The numbers of unanswered commands at which reading stops and resumes.
  private static let busyLimit = 1024
  private static let idleLimit = 256
  /// The number of responses written together.
  private static let batchLimit = 128

  private var items: [Item] = []
  private var bodyBytes = 0
  private var isScheduled = false
  /// The number of unanswered commands.
  var expected = 0
  let isClosed: Bool

  init(isClosed: Bool = false) { self.isClosed = isClosed }

  var isBusy: Bool { expected + items.count > Self.busyLimit || bodyBytes > Self.bodyLimit }
  var isIdle: Bool { expected + items.count < Self.idleLimit && bodyBytes < Self.bodyLimit / 2 }

  /// Adds a response; true where the writer has to be woken.
  mutating func add(_ response: Response) -> Bool {
    guard !isClosed else { return false }
    if !response.correlation.isNone { expected -= 1 }
    items.append(item(response))
    defer { isScheduled = true }
    return !isScheduled
  }

  private mutating func item(_ response: Response) -> Item {
    guard case .delivery(let message, let queue, let secret) = response.body else { return .response(response) }
    guard bodyBytes <= Self.bodyLimit else {
      let placeholder = Response(response.correlation, about: response.entity, .plain(.ok))
      return .reread(placeholder, queue, messageID: message.id, secret: secret)
    }
    bodyBytes += message.bodySize
    return .response(response)
  }

  /// The next responses to write; empty where there are none.
  mutating func take() -> [Item] {
    isScheduled = false
    guard items.count > Self.batchLimit else {
      defer {
        items = []
        bodyBytes = 0
      }
      return items
    }
    let taken = Array(items.prefix(Self.batchLimit))
    items.removeFirst(Self.batchLimit)
    for case .response(let response) in taken {
      if case .delivery(let message, _, _) = response.body { bodyBytes -= message.bodySize }
    }
    return taken
  }
}

extension Outbox.Item {
  /// The response to write; nil where it is obsolete.
  func response(from store: any RelayStore) -> Response? {
    switch self {
    case .response(let response): return response
    case .reread(let placeholder, let queue, let messageID, let secret):
      if let message = try? store.firstMessage(of: queue), message.id == messageID {
        return Response(
          placeholder.correlation, about: placeholder.entity, .delivery(message, of: queue, secret: secret))
      }
      // The message expired meanwhile. An acknowledgement still gets its answer.
      return placeholder.correlation.isNone ? nil : placeholder
    }
  }
}

extension QueuedMessage {
  fileprivate var bodySize: Int {
    if case .message(_, let body) = content { body.count } else { 0 }
  }
}

extension StoreOperation {
  /// About the memory in bytes that it takes while it waits for the store.
  var waitingSize: Int {
    let content =
      switch self {
      case .addMessage(_, let message, _, _): message.bodySize
      case .createQueue(_, let link?), .setLink(_, _, let link): link.fixed.count + link.user.count
      default: 0
      }
    return content + 512
  }
}
