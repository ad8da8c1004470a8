/// Where responses go: a connection, or a proxy's connection with one more box around them.
public protocol ResponseTarget: AnyObject, Sendable {
  /// Sends a response; from any thread.
  func send(_ response: Response)

  /// Whether nothing can be sent any more. Once it is, the relay is told, or has been.
  var isClosed: Bool { get }
}

/// A client as the shards of a relay know it. Simulations and tests have sessions of their own; shards are compiled
/// for this one in particular, which is faster.
public struct Client: Hashable, Sendable {
  /// The connection.
  public let target: any ResponseTarget

  /// The client of a connection.
  public init(_ target: any ResponseTarget) { self.target = target }

  /// Whether it is the same connection.
  public static func == (left: Client, right: Client) -> Bool { left.target === right.target }

  /// Hashes which connection it is.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(target)) }
}
