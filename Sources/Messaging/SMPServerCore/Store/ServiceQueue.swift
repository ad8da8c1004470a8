import SMPProtocol

/// The side of a queue that belongs to a service.
public enum ServiceSide: Sendable {
  /// The recipient's side, on which messages are received.
  case recipients
  /// The notifier's side, which is notified of messages.
  case notifiers
}

extension ServiceRole {
  /// The side of the queues that a service of this role subscribes to.
  public var side: ServiceSide { self == .messaging ? .recipients : .notifiers }
}

/// The part of a queue's record that its service needs.
public struct ServiceQueue: Hashable, Sendable {
  /// The number of the queue.
  public var number: QueueNumber
  /// The identifier of the recipient, or of the notifier.
  public var id: [UInt8]
  /// The secret shared with the recipient that encrypts delivered messages; empty for notifiers.
  public var secret: [UInt8]
  /// Whether there may be messages; if false, there were none when this was read.
  public var mayHaveMessages: Bool

  public init(number: QueueNumber, id: [UInt8], secret: [UInt8] = [], mayHaveMessages: Bool = false) {
    self.number = number
    self.id = id
    self.secret = secret
    self.mayHaveMessages = mayHaveMessages
  }
}
