import QueueStore
import SMPProtocol
import SMPServerCore

/// The responses waiting to be sent on one connection, bounded: messages and link data that a slow client does not take
/// are left in the store and read again when it does.
struct Outbox {
  enum Item {
    case response(Response)
    /// A message of a queue that was dropped from memory, with its size.
    case reread(Response, QueueNumber, messageID: [UInt8], secret: [UInt8], size: Int)
    /// Link data of a queue that was dropped from memory, with its size.
    case rereadLink(Response, QueueNumber, sender: EntityID, size: Int)
  }

  /// The size of contents in memory, in bytes, above which further ones are dropped that can be read again.
  private static let bodyLimit = 256 * 1024
  /// The same while those of all connections exceed their limit.
  private static let reducedBodyLimit = 16 * 1024
  /// The size in bytes from which no further contents are written together: the connection checks first whether the
  /// client takes them.
  private static let takenBodyLimit = 32 * 1024
  /// The numbers of unanswered commands at which reading stops and resumes.
  private static let busyLimit = 1024
  private static let idleLimit = 256
  /// The number of responses written together.
  private static let batchLimit = 128
  /// The number of dropped messages that are read together.
  private static let readLimit = 16
  /// The number of notifications that each connection may have.
  private static let notificationShare = 1_000

  private var items: [Item] = []
  /// The size of the contents in memory, in bytes.
  private(set) var bodyBytes = 0
  private var isScheduled = false
  /// The number of unanswered commands.
  var expected = 0
  /// The number of notifications, which senders can cause without end.
  private(set) var notifications = 0
  /// The number of responses to forwarded commands: each becomes a box of a whole block when it is written.
  private var forwarded = 0
  let isClosed: Bool

  init(isClosed: Bool = false) { self.isClosed = isClosed }

  var isBusy: Bool { expected + items.count > Self.busyLimit || writtenBytes > Self.bodyLimit }
  var isIdle: Bool { expected + items.count < Self.idleLimit && writtenBytes < Self.bodyLimit / 2 }

  /// The size in bytes of the contents when they are written.
  private var writtenBytes: Int { bodyBytes + forwarded * ProxiedBlock.paddedSize }

  /// Whether a response is a notification beyond the share of this connection.
  func isSurplus(_ response: Response) -> Bool {
    if case .notification = response.body { notifications >= Self.notificationShare } else { false }
  }

  /// Adds a response; true where the writer has to be woken. `isTotalExceeded`: whether the contents for all
  /// connections take more memory than their limit.
  mutating func add(_ response: Response, isTotalExceeded: @autoclosure () -> Bool = false) -> Bool {
    guard !isClosed else { return false }
    if !response.correlation.isNone { expected -= 1 }
    if case .notification = response.body { notifications += 1 }
    items.append(item(response, isTotalExceeded: isTotalExceeded))
    defer { isScheduled = true }
    return !isScheduled
  }

  private mutating func item(_ response: Response, isTotalExceeded: () -> Bool) -> Item {
    // Nearly always the client has taken everything; the total is not loaded then.
    if bodyBytes > Self.reducedBodyLimit, bodyBytes > Self.bodyLimit || isTotalExceeded(),
      let item = Item(dropping: response)
    {
      return item
    }
    if case .forwarded = response.body { forwarded += 1 }
    bodyBytes += response.bodySize
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
        notifications = 0
        forwarded = 0
      }
      return items
    }
    let taken = Array(items.prefix(count))
    items.removeFirst(count)
    for case .response(let response) in taken {
      bodyBytes -= response.bodySize
      switch response.body {
      case .notification: notifications -= 1
      case .forwarded: forwarded -= 1
      case .plain, .delivery, .link: break
      }
    }
    return taken
  }

  /// How many are written together.
  private var takenCount: Int {
    var (reads, bytes) = (0, 0)
    for (index, item) in items.prefix(Self.batchLimit).enumerated() {
      bytes += item.size
      if item.read != nil { reads += 1 }
      if reads == Self.readLimit || bytes >= Self.takenBodyLimit { return index + 1 }
    }
    return min(items.count, Self.batchLimit)
  }
}

extension Outbox.Item {
  /// What stays of a response without its content; nil where that cannot be read again.
  fileprivate init?(dropping response: Response) {
    let placeholder = Response(response.correlation, about: response.entity, .plain(.ok))
    switch response.body {
    case .delivery(let message, let queue, let secret):
      self = .reread(placeholder, queue, messageID: message.id, secret: secret, size: response.bodySize)
    case .link(_, let queue, let sender):
      self = .rereadLink(placeholder, queue, sender: sender, size: response.bodySize)
    case .plain, .notification, .forwarded: return nil
    }
  }

  /// What has to be read before it can be written; nil where nothing has.
  var read: StoreRead? {
    switch self {
    case .response: nil
    case .reread(_, let queue, _, _, _): .firstMessage(queue)
    case .rereadLink(_, let queue, _, _): .linkData(queue)
    }
  }

  /// The size in bytes of its content, also where that is not in memory.
  fileprivate var size: Int {
    switch self {
    case .response(let response):
      if case .forwarded = response.body { ProxiedBlock.paddedSize } else { response.bodySize }
    case .reread(_, _, _, _, let size), .rereadLink(_, _, _, let size): size
    }
  }

  /// The response to write, with the next answer if something was read for it; nil where there is none. `lost` is
  /// called for a message that cannot be delivered any more, and returns whether it was the answer to GET.
  func complete(_ answers: inout StoreAnswers, lost: (QueueNumber, [UInt8]) -> Bool) -> Outbox.Item? {
    switch self {
    case .response: return self
    case .reread(let placeholder, let queue, let messageID, let secret, _):
      let read = answers.next().firstMessage
      if case .success(let message?) = read, message.id == messageID {
        return .response(placeholder.with(.delivery(message, of: queue, secret: secret)))
      }
      let isReading = lost(queue, messageID)
      if isReading, case .failure(let failure) = read {
        return .response(placeholder.with(.plain(.err(ProtocolErrorType(failure)))))
      }
      // It expired meanwhile, for example. An acknowledgement still gets its answer.
      return placeholder.correlation.isNone ? nil : .response(placeholder)
    case .rereadLink(let placeholder, let queue, let sender, _):
      switch answers.next().linkData {
      case .success(let data?): return .response(placeholder.with(.link(data, of: queue, sender: sender)))
      case .success(nil): return .response(placeholder.with(.plain(.err(.AUTH))))
      case .failure(let failure): return .response(placeholder.with(.plain(.err(ProtocolErrorType(failure)))))
      }
    }
  }
}

extension Response {
  fileprivate func with(_ body: Body) -> Response { Response(correlation, about: entity, body) }

  /// The size in bytes of contents that may be large.
  fileprivate var bodySize: Int {
    switch body {
    case .delivery(let message, _, _): message.bodySize
    case .link(let data, _, _): data.fixed.count + data.user.count
    case .plain(.pres(let box)): box.count
    case .forwarded(let sealing): sealing.response.bodySize
    case .plain, .notification: 0
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
