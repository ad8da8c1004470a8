import NotificationProtocol
import SimplexCrypto
import WireCodec

/// The texts in the boxes of pushes.
public enum PushText {
  /// The number of notifications in a push, of those that a device keeps only the last one while it is offline.
  public static let entryLimit = 6

  /// The text with the newest of these entries, which are ordered by time, that fits `limit` bytes; nil where not even
  /// the last one fits.
  public static func text(of messages: [PushedMessage], limit: Int) -> [UInt8]? {
    var parts: [[UInt8]] = []
    var size = 0
    for message in messages.suffix(entryLimit).reversed() {
      guard let part = try? PushedMessage.textCodec.encode(message) else { continue }
      let separator = parts.isEmpty ? 0 : 1
      guard size + separator + part.count <= limit else { break }
      size += separator + part.count
      parts.append(part)
    }
    guard !parts.isEmpty else { return nil }
    return Array(parts.reversed().joined(separator: [UInt8(ascii: ";")]))
  }
}

/// The content of a push.
public enum PushContent: Equatable, Sendable {
  /// The code by which a device proves that it received it.
  case verification(RegistrationCode)
  /// That queues have messages; the oldest first.
  case messages([PushedMessage])
  /// The request to look for messages.
  case check
}

/// The body of a push for Apple's service. Source: push-notifications.md, "Notifications"; Apple, "Generating a remote
/// notification".
public struct ApplePushBody: Sendable {
  /// The longest body that Apple accepts, in bytes.
  public static let limit = 4096
  /// The size of the text in boxes, in bytes: bodies have less than ``limit``.
  public static let paddedSize = 2880

  /// The JSON.
  public let json: [UInt8]
  /// Whether the device shows it, after its extension has changed it; otherwise it is delivered in the background.
  public let isAlert: Bool

  /// A body; nil where its entries do not fit. Boxes have texts of `paddedSize` bytes.
  public init?(_ content: PushContent, key: BoxKey, nonce: BoxNonce, paddedSize: Int = Self.paddedSize) {
    switch content {
    case .verification(let code):
      guard let box = try? PushBox.seal(code.bytes, key: key, nonce: nonce, paddedTo: paddedSize) else { return nil }
      self.init(background: Self.data("verification", box, nonce: nonce))
    case .messages(let messages):
      guard let text = PushText.text(of: messages, limit: paddedSize - Padding.prefixSize),
        let box = try? PushBox.seal(text, key: key, nonce: nonce, paddedTo: paddedSize)
      else { return nil }
      let data = Self.data("message", box, nonce: nonce)
      let aps = #"{"alert":"\#(Self.alert)","category":"NTF_CAT_CHECK_MESSAGE","mutable-content":1}"#
      self.init(#"{"aps":\#(aps),"notificationData":\#(data)}"#, isAlert: true)
    case .check: self.init(background: #"{"checkMessages":true}"#)
    }
  }

  /// The text that a device shows where the extension does not change it.
  private static let alert = "Encrypted message or another app event"

  private init(background data: String) {
    self.init(#"{"aps":{"content-available":1},"notificationData":\#(data)}"#, isAlert: false)
  }

  private init(_ json: String, isAlert: Bool) {
    self.json = Array(json.utf8)
    self.isAlert = isAlert
  }

  private static func data(_ name: String, _ box: [UInt8], nonce: BoxNonce) -> String {
    #"{"\#(name)":"\#(Base64URL.string(box))","nonce":"\#(Base64URL.string(nonce.bytes))"}"#
  }
}
