import WireCodec

/// The purpose of a queue, which determines whether its sender may secure it. Source: simplex-messaging.md, "Create
/// queue command".
public enum QueueMode: Hashable, Sendable, CaseIterable {
  /// Messages of one sender, who may secure the queue.
  case messaging
  /// Requests of many senders, which cannot be secured by them.
  case contact

  /// `M` or `C`.
  public static let codec = Codec<QueueMode>.tagged(
    "a queue mode", Alternative("M", .messaging), Alternative("C", .contact))
}
