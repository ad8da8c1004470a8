import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

@testable import DoubleRatchet

/// The reference implementation's transcripts, step by step: same bytes, same states.
@Suite struct TranscriptTests {
  @Test(arguments: try Vectors.load("ratchet.json").elements("transcripts"))
  func keyAgreement(_ transcript: Golden) throws {
    let x3dh = try transcript.member("x3dh")
    let states = try transcript.elements("states").map(importedRatchet)
    let aliceState = states[try x3dh.int("aliceRatchet")]
    let bobState = states[try x3dh.int("bobRatchet")]
    let version = UInt16(try x3dh.int("e2eVersion"))
    let (alice, bob) = (try x3dh.member("alice"), try x3dh.member("bob"))
    let (aliceKeys, bobKeys) = (try privateKeys(alice), try privateKeys(bob))

    let offer = try E2EOffer.textCodec.decode(text: try alice.string("paramsUri"))
    #expect(try E2EOffer.textCodec.text(offer) == alice.string("paramsUri"))
    #expect(offer == E2EOffer(aliceKeys.parameters(version: version), versions: offer.versions))
    let invitation = try #require(offer.parameters())
    #expect(try E2EParameters.codec.encode(invitation) == alice.hex("paramsSmp"))
    let reply = bobKeys.parameters(version: version)
    #expect(try E2EParameters.codec.encode(reply) == bob.hex("paramsSmp"))
    #expect(try E2EParameters.codec.decode(bob.hex("paramsSmp")) == reply)

    let initial = try x3dh.member("initParams")
    for agreement in [
      try X3DH(joining: invitation, with: bobKeys), try X3DH(accepting: reply, with: aliceKeys),
    ] {
      #expect(try agreement.keys.rootKey == SecretBytes(base64(initial.member("ratchetKey"))))
      #expect(try agreement.keys.headerKey == SecretBytes(base64(initial.member("sndHK"))))
      #expect(try agreement.keys.nextHeaderKey == SecretBytes(base64(initial.member("rcvNextHK"))))
    }

    let ratchetKey = try X448.PrivateKey(secret: SecretBytes(try bob.hex("ratchetPrivateKey")))
    #expect(
      try Ratchet(joining: invitation, keys: bobKeys, ratchetKey: ratchetKey, versions: bobState.versions)
        == bobState)
    #expect(
      try Ratchet(
        accepting: reply, keys: aliceKeys, versions: aliceState.versions, wantsPQ: aliceState.supportsPQ) == aliceState)
  }

  private func privateKeys(_ party: Golden) throws -> E2EPrivateKeys {
    let kem = try party["privateKemParams"].map { stored in
      let kem = try PrivateKEMParameters.codec.decode(try stored.hex())
      #expect(try PrivateKEMParameters.codec.encode(kem) == stored.hex())
      return kem
    }
    return E2EPrivateKeys(
      key1: try X448.PrivateKey(secret: SecretBytes(try party.hex("privateKey1"))),
      key2: try X448.PrivateKey(secret: SecretBytes(try party.hex("privateKey2"))), kem: kem)
  }

  @Test(arguments: try Vectors.load("ratchet.json").elements("transcripts"))
  func steps(_ transcript: Golden) throws {
    var player = try TranscriptPlayer(transcript)
    for step in try transcript.elements("steps") { try player.play(step) }
  }
}

private struct TranscriptPlayer {
  let states: [Golden]
  let skipped: [SkippedKeys]
  /// The genuine bytes of each message.
  var messages: [Int: [UInt8]] = [:]
  /// The last state of each party, for messages that only one of them knows of.
  var last: [String: Ratchet] = [:]

  init(_ transcript: Golden) throws {
    states = try transcript.elements("states")
    skipped = try transcript.elements("skipped").map(importedSkipped)
  }

  func state(_ step: Golden, _ name: String) throws -> Ratchet {
    try importedRatchet(states[try step.int(name)])
  }

  mutating func play(_ step: Golden) throws {
    switch try step.string("op") {
    case "encrypt": try encrypt(step)
    case "decrypt": try decrypt(step)
    case "skip": try skip(step)
    case let other: Issue.record("\(step.path): unknown step \(other)")
    }
    if step["stateAfter"] != nil { last[try step.string("by")] = try state(step, "stateAfter") }
  }

  mutating func encrypt(_ step: Golden) throws {
    let before = try state(step, "stateBefore")
    let pq = try step["pqEncryption"]?.bool()
    let version = UInt16(try step.int("supportedE2EVersion"))
    var ratchet = before
    let encrypted = try ratchet.encrypt(
      try step.hex("plaintext"), paddedTo: try step.int("paddedLen"), pq: pq, supportedVersion: version)
    #expect(try encrypted == step.hex("encrypted"), "\(step.path)")
    var expected = try state(step, "stateAfter")
    if pq == false {
      // The reference implementation drops the ciphertext, though the chain's keys depend on it.
      #expect(ratchet.kem?.ciphertext == before.kem?.ciphertext && expected.kem?.ciphertext == nil, "\(step.path)")
      expected.kem?.ciphertext = before.kem?.ciphertext
    }
    #expect(ratchet == expected, "\(step.path)")
    messages[try step.int("messageId")] = encrypted
    if let stored = step["msgEncryptKeySmp"] {
      ratchet = before
      let sealer = try ratchet.makeSealer(pq: pq, supportedVersion: version)
      #expect(try MessageSealer.storedCodec.encode(sealer) == stored.hex(), "\(step.path)")
      #expect(try MessageSealer.storedCodec.decode(stored.hex()) == sealer, "\(step.path)")
    }
  }

  func decrypt(_ step: Golden) throws {
    let before = try state(step, "stateBefore")
    let skippedBefore = skipped[try step.int("skippedBefore")]
    let genuine = try #require(messages[try step.int("messageId")])
    let message = try step["encrypted"]?.hex() ?? genuine
    var (ratchet, keysLeft) = (before, skippedBefore)
    guard let failure = step["error"] ?? step["decryptError"] else {
      var keys = RecordedKeys(state: states[try step.int("stateAfter")])
      let result = try ratchet.decrypt(message, skipped: &keysLeft, keys: &keys)
      #expect(try result.body == step.hex("plaintext"), "\(step.path)")
      #expect(try ratchet == state(step, "stateAfter"), "\(step.path)")
      #expect(try sorted(keysLeft) == sorted(skipped[step.int("skippedAfter")]), "\(step.path)")
      return
    }
    var keys = FreshKeys(InsecureSeededRandom(seed: 1))
    let expected = try error(named: failure.string())
    #expect(throws: expected, "\(step.path)") { try ratchet.decrypt(message, skipped: &keysLeft, keys: &keys) }
    #expect(ratchet == before && keysLeft == skippedBefore, "\(step.path): the state changed")
    // Where the reference implementation counts a damaged body, ours still takes the genuine message.
    if expected == .bodyNotAuthentic {
      let body = try ratchet.decrypt(genuine, skipped: &keysLeft, keys: &keys).body
      #expect(!body.isEmpty, "\(step.path)")
    }
  }

  /// Messages that were encrypted and never delivered.
  func skip(_ step: Golden) throws {
    var ratchet = try #require(last[try step.string("by")])
    for _ in 0..<(try step.int("count")) { _ = try ratchet.makeSealer() }
    #expect(try ratchet == state(step, "stateAfter"), "\(step.path)")
  }

  private func sorted(_ keys: SkippedKeys) -> [SkippedKeys.Chain] {
    keys.chains.sorted { [UInt8](copying: $0.headerKey.bytes).hex < [UInt8](copying: $1.headerKey.bytes).hex }
  }

  private func error(named name: String) throws -> RatchetError {
    let words = name.split(separator: " ")
    let number = words.count > 1 ? UInt32(words[1]) ?? 0 : 0
    return switch words[0] {
    case "CERatchetHeader": .unknownHeader
    case "CERatchetDuplicateMessage": .duplicateMessage
    case "CERatchetEarlierMessage": .earlierMessage(number)
    case "CERatchetTooManySkipped": .tooManySkipped(number)
    case "AESDecryptError": .bodyNotAuthentic
    default: throw Golden.Missing(description: "no error corresponds to \(name)")
    }
  }
}
