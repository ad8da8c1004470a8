import Foundation
import SMPServerCore

@testable import QueueStore

/// A change of the store in a story: a ``StoreOperation`` with the numbers of the story, which outlive the store's.
enum StoreAction: Equatable {
  case create(queue: Int)
  case delete(queue: Int)
  case add(queue: Int, message: Int, expiry: Int64?)
  /// `message` is the first one at that time.
  case acknowledge(queue: Int, message: Int?)
  case expire(queue: Int, before: Int64)
  case expireAll(before: Int64)
  case touch(queue: Int, day: Int64)
  case change(queue: Int, RecordChange)
  case register(StoryService)
  case removeServices(before: Int64, except: Set<[UInt8]>)

  /// The queue; nil where all are meant, or services.
  var queue: Int? {
    switch self {
    case .create(let queue), .delete(let queue), .add(let queue, _, _), .acknowledge(let queue, _),
      .expire(let queue, _), .touch(let queue, _), .change(let queue, _):
      queue
    case .expireAll, .register, .removeServices: nil
    }
  }

  /// The time from before which it removes messages.
  var expiry: Int64? {
    switch self {
    case .add(_, _, let time): time
    case .expire(_, let time), .expireAll(let time): time
    case .create, .delete, .acknowledge, .touch, .change, .register, .removeServices: nil
    }
  }
}

/// A store in a story, as it is expected or as it was found.
struct StoreState {
  struct Queue {
    /// With the number 0.
    var record: QueueRecord
    var link: LinkData?
    var messages: [QueuedMessage]

    init(_ record: QueueRecord, _ link: LinkData?, _ messages: [QueuedMessage]) {
      self.record = record
      self.record.number = QueueNumber(0)
      self.link = link
      self.messages = messages
    }
  }

  var queues: [Int: Queue] = [:]
  /// By the hashes of their certificates.
  var services: [[UInt8]: StoryService] = [:]
}

/// A finding of a story.
struct Violation: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension StoreState {
  /// Throws unless a store that was in the state `before` can be found as this, where any of the actions `maybe` may
  /// have taken effect.
  func check(after before: StoreState, maybe: [StoreAction], _ text: (Int) -> QueuedMessage?) throws(Violation) {
    for (index, expected) in before.queues {
      let own = maybe.filter { $0.queue == index || $0.queue == nil }
      guard let found = queues[index] else {
        guard own.contains(.delete(queue: index)) else { throw Violation("queue \(index) is lost") }
        continue
      }
      try Self.check(index, found, expected, own, text)
    }
    for index in queues.keys where before.queues[index] == nil {
      guard maybe.contains(.create(queue: index)) else { throw Violation("queue \(index) came back") }
      if queues[index]?.messages.isEmpty == false { throw Violation("new queue \(index) has messages") }
    }
    try checkServices(after: before, maybe: maybe)
  }

  private static func check(
    _ index: Int, _ found: Queue, _ expected: Queue, _ maybe: [StoreAction], _ text: (Int) -> QueuedMessage?
  ) throws(Violation) {
    var records = PossibleRecords(expected.record, expected.link)
    var removed = Set<Int>()
    var added = Set<Int>()
    var expiry = Int64.min
    for action in maybe {
      if let time = action.expiry { expiry = max(expiry, time) }
      switch action {
      case .touch(_, let day): records.touch(day)
      case .change(_, let change): records.add(change)
      case .acknowledge(_, let message?): removed.insert(message)
      case .acknowledge(_, nil):
        // Without an identifier whatever is first is removed, if what was to leave the queue empty before failed.
        if let first = expected.messages.first { removed.insert(first.number) }
      case .add(_, let message, _): added.insert(message)
      default: break
      }
    }
    if let difference = records.difference(found.record, found.link) {
      throw Violation("queue \(index): \(difference), found \(found.record), expected \(expected.record)")
    }
    let numbers = found.messages.map(\.number)
    for message in expected.messages where message.timestamp >= expiry && !removed.contains(message.number) {
      guard numbers.contains(message.number) else { throw Violation("message \(message.number) is lost") }
    }
    let known = Dictionary(uniqueKeysWithValues: expected.messages.map { ($0.number, $0) })
    for message in found.messages {
      let number = message.number
      if let original = known[number] {
        guard message.isSame(as: original) else { throw Violation("message \(number) changed") }
      } else {
        guard added.contains(number) else { throw Violation("message \(number) came back") }
        guard let original = text(number), message.isSame(as: original) || message.isMark else {
          throw Violation("message \(number) changed")
        }
      }
    }
    for (first, second) in zip(numbers, numbers.dropFirst()) where first >= second {
      throw Violation("message \(second) is delivered after \(first)")
    }
  }
}

extension QueuedMessage {
  /// The number of a message that a story made.
  var number: Int { id.suffix(8).reduce(0) { $0 << 8 | Int($1) } }

  var isMark: Bool { if case .quotaExceeded = content { true } else { false } }

  /// Equality that is fast in a debug build, where arrays are compared byte by byte.
  func isSame(as other: QueuedMessage) -> Bool {
    guard number == other.number, timestamp == other.timestamp else { return false }
    switch (content, other.content) {
    case (.quotaExceeded, .quotaExceeded): return true
    case (.message(let notify, let body), .message(let otherNotify, let otherBody)):
      guard notify == otherNotify, body.count == otherBody.count else { return false }
      return body.withUnsafeBytes { body in
        otherBody.withUnsafeBytes { other in
          guard let first = body.baseAddress, let second = other.baseAddress else { return body.isEmpty }
          return memcmp(first, second, body.count) == 0
        }
      }
    default: return false
    }
  }
}
