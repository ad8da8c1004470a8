import WireCodec

/// The status of a subscription to a queue's notifications, at the notification server. Source: push-notifications.md,
/// "NTF protocol".
public enum NotifierStatus: Hashable, Sendable {
  /// Created by SNEW.
  case new
  /// The server is going to subscribe at the relay.
  case pending
  /// Subscribed at the relay.
  case active
  /// The connection to the relay was lost.
  case inactive
  /// Another client of the relay subscribed.
  case end
  /// The queue was deleted.
  case deleted
  /// The relay refused the notifier's key, or does not know the notifier.
  case auth
  /// The relay refused the signature of the server as a service.
  case service
  /// The relay answered with another error; its text.
  case error(String)

  /// Its name, and a space and the text of an error. Also the text form.
  public static let codec: Codec<NotifierStatus> = .keywords(
    "a status of a subscription",
    Alternative("NEW", .new), Alternative("PENDING", .pending), Alternative("ACTIVE", .active),
    Alternative("INACTIVE", .inactive), Alternative("END", .end), Alternative("DELETED", .deleted),
    Alternative("AUTH", .auth), Alternative("SERVICE", .service),
    Alternative("ERR", errorText, { .error($0) }, { if case .error(let text) = $0 { text } else { nil } }))

  /// Text for people: bytes that are not UTF-8 are replaced.
  private static let errorText = Codec<[UInt8]>.tail.map(
    { String(decoding: $0, as: UTF8.self) }, { Array($0.utf8) })

  /// Whether the server subscribes at the relay after a start or a lost connection.
  public var isSubscribed: Bool {
    switch self {
    case .new, .pending, .active, .inactive, .service: true
    case .end, .deleted, .auth, .error: false
    }
  }
}
