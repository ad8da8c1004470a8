/// A change of the store. It is answered with a ``StoreOutcome`` after it is durable.
///
/// Operations on one queue take effect in the order they were submitted. Times (`expiry`, and `before` of messages) are
/// in seconds since 1970, days (`day`, and `before` of services) in days since 1970.
public enum StoreOperation: Sendable {
  /// Adds a queue. Answered `created`, or `duplicate` where one of the identifiers is taken.
  indirect case createQueue(QueueRecord, LinkData?)
  /// Sets the sender's key. Answered `done`, also where it is the same key already; `refused` where it is another.
  case secure(QueueNumber, senderKey: [UInt8])
  /// Replaces the recipient's keys.
  case setRecipientKeys(QueueNumber, [[UInt8]])
  /// Sets the link data. Answered `refused` where the queue has another link or other fixed data, `duplicate` where
  /// another queue has the link.
  case setLink(QueueNumber, linkID: [UInt8], LinkData)
  /// Removes the link data.
  case deleteLink(QueueNumber)
  /// Sets the notifier. Answered `notifierChanged` with the one before, or `duplicate`.
  case setNotifier(QueueNumber, QueueRecord.Notifier)
  /// Removes the notifier. Answered `notifierChanged` with the one removed.
  case deleteNotifier(QueueNumber)
  /// Sets the service that subscribes for the recipient.
  case setService(QueueNumber, serviceID: [UInt8]?)
  /// Sets the service that subscribes for the notifier. Answered `refused` where the queue has no notifier, or another
  /// than `notifier`, if that is set: it may have been replaced since the service was authorized by its key.
  case setNotifierService(QueueNumber, serviceID: [UInt8]?, notifier: [UInt8]? = nil)
  /// Sets the status.
  case setStatus(QueueNumber, QueueRecord.Status)
  /// Records the use of the queue on a day.
  case touch(QueueNumber, day: Int64)
  /// Removes a queue with all its data. Answered `deleted`.
  case deleteQueue(QueueNumber)
  /// Adds a message at the end. Answered `stored`, or `quotaExceeded` if there are `quota` messages already: then a
  /// mark is added once, and nothing more until the queue is empty. Before that, messages of the queue from before
  /// `expiry` are removed.
  case addMessage(QueueNumber, QueuedMessage, quota: Int, expiry: Int64? = nil)
  /// Removes the first message if it has this identifier (or any, where it is empty). Answered `acknowledged`.
  case acknowledge(QueueNumber, messageID: [UInt8], readsNext: Bool)
  /// Removes messages from before a time, of up to `limit` queues after a cursor; it stops after the queue with which
  /// it has removed `limit` messages. Answered `expired`.
  case expireMessages(before: Int64, after: QueueNumber, limit: Int)
  /// Removes the messages of one queue from before a time. Answered `expired`.
  case expireMessagesOfQueue(QueueNumber, before: Int64)
  /// Adds a service, or finds the one with the same certificate and records its use on the day of the record. Answered
  /// `service`.
  case registerService(ServiceRecord)
  /// Removes services without queues that were last registered before a day, except some: looks at up to `limit`
  /// services after the cursor, in the order of their identifiers. Answered `servicesRemoved`.
  case removeServices(before: Int64, after: [UInt8], limit: Int, except: Set<[UInt8]>)
  /// Notes a time at which the relay ran, in seconds since 1970; nil to only read the noted one. Answered `noted`.
  case noteTime(Int64?)
}

/// The outcome of a ``StoreOperation``.
public enum StoreOutcome: Hashable, Sendable {
  /// It took effect.
  case done
  /// The queue does not exist, or the operation does not fit its state; nothing was changed.
  case refused
  /// An identifier is taken; nothing was changed.
  case duplicate
  /// The queue exists under this number.
  case created(QueueNumber)
  /// The notifier was set or removed; this is the previous one.
  case notifierChanged(previous: QueueRecord.Notifier?)
  /// The queue was deleted, with this many messages; the record is the last one.
  indirect case deleted(QueueRecord, messages: Int)
  /// The message was stored; `isFirst` where it is the only one.
  case stored(isFirst: Bool)
  /// The queue is full.
  case quotaExceeded
  /// The message that was removed, if its identifier was right; then the first message, if it was requested.
  case acknowledged(removed: RemovedMessage?, next: QueuedMessage?)
  /// This many messages were removed; `next` is the cursor to continue with, nil at the end.
  case expired(Int, next: QueueNumber?)
  /// The identifier of the service.
  case service(id: [UInt8])
  /// This many services were removed; `next` is the cursor to continue with, nil at the end.
  case servicesRemoved(Int, next: [UInt8]?)
  /// The time that was noted before; nil where none was, in a new store.
  case noted(Int64?)
}

/// Why an operation of the store failed. It did not take effect; where the disk refused a flush, it may do so by a
/// power failure that follows.
public enum StoreFailure: Error, Hashable, Sendable {
  /// No space is left.
  case full
  /// The stored data is inconsistent.
  case damaged
  /// The store was written by a newer program.
  case newerSchema(found: Int, known: Int)
  /// The store is closed, or locked by another program.
  case unavailable
  /// Any other failure; the text is for the operator.
  case other(String)
}

/// The totals of what is stored.
public struct StoreCounts: Hashable, Sendable {
  /// The number of queues.
  public var queues = 0
  /// The number of messages, with quota marks.
  public var messages = 0
  /// Queues with a notifier.
  public var notifiers = 0
  /// Services that receive messages, and their queues.
  public var recipientServices = Services()
  /// Services that are notified of messages, and their queues.
  public var notifierServices = Services()

  /// Services of one kind.
  public struct Services: Hashable, Sendable {
    /// The number of services.
    public var services = 0
    /// Queues that are associated with one.
    public var queues = 0

    public init(services: Int = 0, queues: Int = 0) {
      self.services = services
      self.queues = queues
    }
  }

  /// Nothing stored.
  public init() {}
}
