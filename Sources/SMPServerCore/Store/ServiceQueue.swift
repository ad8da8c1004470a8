/// Whose service it is that a queue belongs to.
public enum ServiceSide: Sendable {
  /// The recipient's: it receives messages.
  case recipients
  /// The notifier's: it is told about messages.
  case notifiers
}

/// A queue of a service, as far as the service is concerned.
public struct ServiceQueue: Hashable, Sendable {
  /// The number of the queue.
  public var number: QueueNumber
  /// The identifier of the recipient, or of the notifier.
  public var id: [UInt8]
  /// The secret shared with the recipient that encrypts delivered messages; empty for notifiers.
  public var secret: [UInt8]
  /// Whether messages may wait. If not, none did when this was read.
  public var mayHaveMessages: Bool

  /// A value of its members.
  public init(number: QueueNumber, id: [UInt8], secret: [UInt8] = [], mayHaveMessages: Bool = false) {
    self.number = number
    self.id = id
    self.secret = secret
    self.mayHaveMessages = mayHaveMessages
  }
}
