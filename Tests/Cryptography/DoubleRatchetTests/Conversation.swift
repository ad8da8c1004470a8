import SimplexCrypto
import SimplexTesting
import WireCodec

@testable import DoubleRatchet

/// One side of a connection in tests.
struct Party {
  var ratchet: Ratchet
  var skipped = SkippedKeys()
  var keys: FreshKeys<InsecureSeededRandom>
  /// The highest version this side announces.
  var supportedVersion = E2EVersion.current

  mutating func encrypt(
    _ text: String, pq: Bool? = nil, paddedTo paddedCount: Int = 100
  ) throws(RatchetError) -> [UInt8] {
    try ratchet.encrypt(Array(text.utf8), paddedTo: paddedCount, pq: pq, supportedVersion: supportedVersion)
  }

  mutating func decrypt(_ message: [UInt8]) throws(RatchetError) -> String {
    let body = try open(message).body
    return String(decoding: body, as: UTF8.self)
  }

  mutating func open(_ message: [UInt8]) throws(RatchetError) -> DecryptedMessage {
    try ratchet.decrypt(message, skipped: &skipped, keys: &keys)
  }
}

/// How a connection begins.
struct Beginning: CustomStringConvertible, Sendable {
  var description: String
  /// The version that is agreed on.
  var version = E2EVersion.current
  /// Whether the invitation proposes a KEM key.
  var proposesPQ = false
  /// Whether the inviting side uses post-quantum encryption when it is proposed to.
  var inviterWantsPQ = false
  /// Whether the joining side accepts or proposes it.
  var joinerWantsPQ = false
  /// The highest versions of both sides.
  var inviterMaximum = E2EVersion.current
  var joinerMaximum = E2EVersion.current

  static let accepted = Beginning(
    description: "PQ accepted", proposesPQ: true, inviterWantsPQ: true, joinerWantsPQ: true)
  static let proposedInReply = Beginning(
    description: "PQ proposed in the reply", inviterWantsPQ: true, joinerWantsPQ: true)
  static let withoutPQ = Beginning(description: "no PQ")
  static let version2 = Beginning(description: "version 2", version: 2, inviterMaximum: 2, joinerMaximum: 2)
  static let upgrade = Beginning(description: "version 2 to 3", version: 2)
  static let mixed = Beginning(description: "version 2 with a newer inviter", version: 2, joinerMaximum: 2)

  static let all: [Beginning] = [accepted, proposedInReply, withoutPQ, version2, upgrade, mixed]

  /// Both sides with their first keys; the inviting side (Alice) has received nothing yet.
  func connect(seed: UInt64) throws -> (alice: Party, bob: Party) {
    var aliceKeys = FreshKeys(InsecureSeededRandom(seed: seed &* 2))
    var bobKeys = FreshKeys(InsecureSeededRandom(seed: seed &* 2 &+ 1))
    let own = E2EPrivateKeys(version: version, kem: proposesPQ ? .propose : nil, keys: &aliceKeys)
    let invitation = own.parameters(version: version)
    let replyKeys = E2EPrivateKeys(
      version: version, kem: KEMUse.reply(to: invitation, wantsPQ: joinerWantsPQ), keys: &bobKeys)
    let bob = try Ratchet(
      joining: invitation, keys: replyKeys, ratchetKey: bobKeys.makeRatchetKey(),
      versions: RatchetVersions(current: version, maximum: joinerMaximum))
    let alice = try Ratchet(
      accepting: replyKeys.parameters(version: version), keys: own,
      versions: RatchetVersions(current: version, maximum: inviterMaximum), wantsPQ: inviterWantsPQ)
    return (
      Party(ratchet: alice, keys: aliceKeys, supportedVersion: inviterMaximum),
      Party(ratchet: bob, keys: bobKeys, supportedVersion: joinerMaximum)
    )
  }
}
