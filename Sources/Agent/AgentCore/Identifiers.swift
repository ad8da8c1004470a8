import SMPProtocol
import SimplexCrypto

/// A user profile of the agent: what has servers and connections of its own.
public struct UserID: RawRepresentable, Hashable, Sendable, Comparable {
  /// The number in the store, from 1.
  public let rawValue: Int64
  /// The user with this number.
  public init(rawValue: Int64) { self.rawValue = rawValue }
  /// Orders by number.
  public static func < (left: UserID, right: UserID) -> Bool { left.rawValue < right.rawValue }
}

/// A connection, as applications name it: 12 random bytes.
public struct ConnectionID: ByteIdentifier {
  /// The bytes of the identifier.
  public let bytes: [UInt8]
  /// An identifier of these bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
  /// The size of identifiers that are drawn.
  public static let randomSize = 12
  /// Draws an identifier.
  public init(using random: inout some RandomSource) { bytes = random.bytes(Self.randomSize) }
}

/// A confirmation that waits to be allowed: 12 random bytes.
public struct ConfirmationID: ByteIdentifier {
  /// The bytes of the identifier.
  public let bytes: [UInt8]
  /// An identifier of these bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
  /// Draws an identifier.
  public init(using random: inout some RandomSource) { bytes = random.bytes(ConnectionID.randomSize) }
}

/// A request to a contact address that waits to be accepted: 12 random bytes.
public struct InvitationID: ByteIdentifier {
  /// The bytes of the identifier.
  public let bytes: [UInt8]
  /// An identifier of these bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
  /// Draws an identifier.
  public init(using random: inout some RandomSource) { bytes = random.bytes(ConnectionID.randomSize) }
}

/// The application's tag of an asynchronous operation, which its events carry.
public struct CorrelationTag: ByteIdentifier {
  /// The bytes of the tag.
  public let bytes: [UInt8]
  /// A tag of these bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// A message of a connection, sent or received, counted from 1 over both directions.
public struct AgentMessageID: RawRepresentable, Hashable, Sendable, Comparable {
  /// The number.
  public let rawValue: Int64
  /// The message with this number.
  public init(rawValue: Int64) { self.rawValue = rawValue }
  /// Orders by number.
  public static func < (left: AgentMessageID, right: AgentMessageID) -> Bool { left.rawValue < right.rawValue }
}

/// An event that is kept until the application has taken it.
public struct EventID: RawRepresentable, Hashable, Sendable, Comparable {
  /// The number, in the order of the events.
  public let rawValue: Int64
  /// The event with this number.
  public init(rawValue: Int64) { self.rawValue = rawValue }
  /// Orders by number.
  public static func < (left: EventID, right: EventID) -> Bool { left.rawValue < right.rawValue }
}

/// A call of the application that waits for the network. Not durable.
public struct CallID: RawRepresentable, Hashable, Sendable {
  /// The number since the engine was made.
  public let rawValue: UInt64
  /// The call with this number.
  public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A command in flight. Not durable.
public struct RequestID: RawRepresentable, Hashable, Sendable {
  /// The number since the engine was made.
  public let rawValue: UInt64
  /// The request with this number.
  public init(rawValue: UInt64) { self.rawValue = rawValue }
}
