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
  /// The number of dropped messages that are read together.
  private static let readLimit = 16

  private var items: [Item] = []
  private var bodyBytes = 0
  private var isScheduled = false
  /// Whether messages were dropped since it was last empty.
  private var hasDropped = false
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
      hasDropped = true
      return .reread(placeholder, queue, messageID: message.id, secret: secret)
    }
    bodyBytes += message.bodySize
    return .response(response)
  }

  /// The next responses to write; empty where there are none.
  mutating func take() -> [Item] {
    isScheduled = false
    let count = takenCount
    guard items.count > count else {
      defer {
        items = []
        bodyBytes = 0
        hasDropped = false
      }
      return items
    }
    let taken = Array(items.prefix(count))
    items.removeFirst(count)
    for case .response(let response) in taken {
      if case .delivery(let message, _, _) = response.body { bodyBytes -= message.bodySize }
    }
    return taken
  }

  /// How many are written together.
  private var takenCount: Int {
    guard hasDropped else { return min(items.count, Self.batchLimit) }
    var reads = 0
    for (index, item) in items.prefix(Self.batchLimit).enumerated() where item.read != nil {
      reads += 1
      if reads == Self.readLimit { return index + 1 }
    }
    return min(items.count, Self.batchLimit)
  }
}

extension Outbox.Item {
  /// What has to be read before it can be written; nil where nothing has.
  var read: StoreRead? {
    if case .reread(_, let queue, _, _) = self { .firstMessage(queue) } else { nil }
  }

  /// The response to write, with the next answer if something was read for it; nil where it is obsolete.
  func complete(_ answers: inout StoreAnswers) -> Outbox.Item? {
    guard case .reread(let placeholder, let queue, let messageID, let secret) = self else { return self }
    if case .success(let message?) = answers.next().firstMessage, message.id == messageID {
      return .response(
        Response(placeholder.correlation, about: placeholder.entity, .delivery(message, of: queue, secret: secret)))
    }
    // The message expired meanwhile. An acknowledgement still gets its answer.
    return placeholder.correlation.isNone ? nil : .response(placeholder)
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
