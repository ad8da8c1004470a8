import Foundation
import SMPProtocol
import SimplexCrypto
import SimplexTesting
import WireCodec

/// What `Tests/Vectors/reference-store` holds: files that the reference server left when it was stopped, after a client
/// with the keys of these numbers had used it.
enum ImportFixture {
  /// A queue of the files, in the order in which they were made.
  enum Queue: Int, CaseIterable {
    /// For messages, secured by its sender, with a notifier, a message without and two with its flag.
    case secured
    /// A contact address with link data and two recipient keys.
    case contact
    /// Suspended.
    case suspended
    /// With all the messages that it takes, and the mark.
    case full
    /// Blocked by the operator.
    case blocked
    /// Deleted before the server stopped.
    case deleted
  }

  static var folder: URL { Vectors.folder.appending(path: "reference-store") }

  private static func random(_ queue: Queue, _ purpose: UInt64) -> InsecureSeededRandom {
    InsecureSeededRandom(seed: 1_000 * UInt64(queue.rawValue) + purpose)
  }

  /// The key of the recipient; the second one is for the queue with two.
  static func recipientKey(_ queue: Queue, _ number: UInt64 = 0) -> AuthorizationPrivateKey {
    var random = random(queue, number)
    return .ed25519(Ed25519.PrivateKey(using: &random))
  }

  static func deliveryKey(_ queue: Queue) -> X25519.PrivateKey {
    var random = random(queue, 10)
    return X25519.PrivateKey(using: &random)
  }

  static func senderKey(_ queue: Queue) -> AuthorizationPrivateKey {
    var random = random(queue, 20)
    return .x25519(X25519.PrivateKey(using: &random))
  }

  static func notifierKey(_ queue: Queue) -> AuthorizationPrivateKey {
    var random = random(queue, 30)
    return .ed25519(Ed25519.PrivateKey(using: &random))
  }

  static let link = QueueLinkData(
    fixedData: [UInt8](repeating: 1, count: 60), userData: [UInt8](repeating: 2, count: 90))

  /// What the server answered for each queue: identifiers of recipient, sender, link and notifier, its public key.
  struct Answer {
    var recipient: EntityID
    var sender: EntityID
    var link: EntityID
    var notifier: EntityID
    var serverKey: X25519.PublicKey
  }

  static func answers() throws -> [Queue: Answer] {
    let text = try String(contentsOf: folder.appending(path: "queues.txt"), encoding: .utf8)
    var answers: [Queue: Answer] = [:]
    for (queue, line) in zip(Queue.allCases, text.split(separator: "\n")) {
      let fields = line.split(separator: " ").map { $0 == "-" ? [] : Base64URL.decode(String($0)) ?? [] }
      let key = fields[4]
      answers[queue] = Answer(
        recipient: EntityID(fields[0]), sender: EntityID(fields[1]), link: EntityID(fields[2]),
        notifier: EntityID(fields[3]), serverKey: try X25519.PublicKey(rawBytes: key.span.bytes))
    }
    return answers
  }
}
