import NotificationProtocol
import SMPProtocol
import WireCodec

private let versions: ClosedRange<UInt16> = 1...3

/// A public key of X25519 with its length.
private let key = [44] + [0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, 0x6e, 3, 0x21, 0] + [UInt8](repeating: 9, count: 32)

private let queue = "smp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=@a.example,[::1]:5224/AQID"

private let entry = "\(queue) 1700000001 AwoRGB8mLTQ7QklQV15lbHN6gYiPlp2k AQID"

private let newSubscription =
  Array("SNEW S".utf8) + [1, 7, 1, 1, 0x61, 4] + Array("5223".utf8) + [1, 1, 2, 3, 4, 48, 0x30, 0x2e, 2, 1, 0, 0x30, 5]
  + [6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20] + [UInt8](repeating: 1, count: 32)

let notificationTargets: [FuzzTarget] = [
  // Public relays get their second host.
  .codec(
    "ntf-command", NotificationCommand.codec, versions: versions, lenient: true,
    seeds: [
      Array("TNEW TAP".utf8) + [4] + Array("0123".utf8) + key + key, Array("TRPL AN".utf8) + [1, 0x61],
      Array("TCRN ".utf8) + [0, 20], Array("TVFY ".utf8) + [1, 1], newSubscription, Array("PING".utf8),
    ]),
  // Texts of errors that are not UTF-8 are repaired.
  .codec(
    "ntf-response", NotificationResponse.codec, versions: versions, lenient: true,
    seeds: [
      Array("IDTKN ".utf8) + [1, 1] + key, Array("TKN INVALID,BAD".utf8), Array("SUB ERR SMP TIMEOUT".utf8),
      Array("ERR AUTH".utf8),
    ]),
  .codec("ntf-device", PushDevice.codec, seeds: [Array("AD".utf8) + [4] + Array("0123".utf8)]),
  .codec("ntf-device-text", PushDevice.textCodec, seeds: [Array("apns_prod 0123".utf8)]),
  .codec("ntf-server-hello", NotificationServerHello.codec, lenient: true, seeds: [[0, 1, 0, 1, 1, 7]]),
  .codec("ntf-client-hello", NotificationClientHello.codec, lenient: true, seeds: [[0, 3, 1, 7]]),
  // Times and addresses have several spellings.
  .codec(
    "ntf-push", PushedMessages.codec, lenient: true, seeds: [Array(entry.utf8), Array("\(entry);\(entry)".utf8)]),
  FuzzTarget("ntf-block", seeds: [[2, 1, 0, 8, 0, 1, 5, 0, 80, 73, 78, 71], [0, 0, 1, 1, 1, 5, 0, 80, 73, 78, 71]]) {
    input in
    let version = versions.lowerBound + UInt16(Int(input.first ?? 0) % versions.count)
    let session = SessionContext.notifications(version: version, sessionID: SessionID([1]))
    let content = Array(input.dropFirst())
    let commands = session.transmissions(of: NotificationCommand.self, in: content.span.bytes)
    let responses = session.transmissions(of: NotificationResponse.self, in: content.span.bytes)
    precondition(!commands.isEmpty && !responses.isEmpty, "ntf-block: nothing to answer")
  },
]
