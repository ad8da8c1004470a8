import DoubleRatchet
import SNTRUP761
import SimplexCrypto
import WireCodec

/// What the seeds are made of: a connection with post-quantum keys, one message under way and one skipped.
private struct Sample {
  let parameters: E2EParameters
  let privateKEM: PrivateKEMParameters?
  let sealer: MessageSealer?
  let ratchet: Ratchet
  let skipped: SkippedKeys
  let message: [UInt8]

  init() throws {
    var keys = FreshKeys(InsecureSeededRandom(seed: 1))
    let own = E2EPrivateKeys(version: 3, kem: .propose, keys: &keys)
    let invitation = own.parameters(version: 3)
    let reply = E2EPrivateKeys(version: 3, kem: KEMUse.reply(to: invitation, wantsPQ: true), keys: &keys)
    let versions = RatchetVersions(current: 3)
    var sender = try Ratchet(
      joining: invitation, keys: reply, ratchetKey: keys.makeRatchetKey(), versions: versions)
    var receiver = try Ratchet(
      accepting: reply.parameters(version: 3), keys: own, versions: versions, wantsPQ: true)
    var skipped = SkippedKeys()
    sealer = try sender.makeSealer()
    let body: [UInt8] = [1, 2, 3]
    let first = try sender.encrypt(body.span.bytes, paddedTo: 16)
    _ = try receiver.decrypt(first.span.bytes, skipped: &skipped, keys: &keys)
    message = try sender.encrypt(body.span.bytes, paddedTo: 16)
    parameters = reply.parameters(version: 3)
    privateKEM = reply.kem
    ratchet = receiver
    self.skipped = skipped
  }
}

private let sample: Sample = {
  guard let sample = try? Sample() else { preconditionFailure("the sample connection fails") }
  return sample
}()

private func encoded(_ secret: () throws -> SecretBytes) -> [[UInt8]] {
  (try? secret()).map { [[UInt8](copying: $0.bytes)] } ?? []
}

private func encoded<Value>(_ value: Value?, _ codec: Codec<Value>) -> [[UInt8]] {
  value.flatMap { try? codec.encode($0) }.map { [$0] } ?? []
}

/// A stored form: what is read gives the same bytes again.
private func storedForm(
  _ name: String, seeds: [[UInt8]], _ reencode: @escaping @Sendable (RawSpan) throws -> SecretBytes
) -> FuzzTarget {
  FuzzTarget(name, seeds: seeds) { input in
    guard let again = try? reencode(input.span.bytes) else { return }
    precondition(again == SecretBytes(input), "\(name): accepted bytes are not what encoding gives: \(input)")
  }
}

let doubleRatchetTargets: [FuzzTarget] = [
  .codec("ratchet-parameters", E2EParameters.codec, seeds: encoded(sample.parameters, E2EParameters.codec)),
  .codec(
    "ratchet-offer", E2EOffer.codec,
    seeds: encoded(E2EOffer(sample.parameters, versions: E2EVersion.supported), E2EOffer.codec)),
  .codec(
    "ratchet-offer-text", E2EOffer.textCodec, lenient: true,
    seeds: encoded(E2EOffer(sample.parameters, versions: E2EVersion.supported), E2EOffer.textCodec)),
  .codec(
    "ratchet-private-kem", PrivateKEMParameters.codec, seeds: encoded(sample.privateKEM, PrivateKEMParameters.codec)),
  .codec("ratchet-sealer", MessageSealer.codec, seeds: encoded(sample.sealer, MessageSealer.codec)),
  storedForm("ratchet-state", seeds: encoded { try sample.ratchet.encoded() }) { bytes in
    let ratchet = try Ratchet(decoding: bytes)
    return try ratchet.encoded()
  },
  storedForm("ratchet-skipped", seeds: encoded { try sample.skipped.encoded() }) { bytes in
    let skipped = try SkippedKeys(decoding: bytes)
    return try skipped.encoded()
  },
  // Whatever arrives, a ratchet that refuses it is what it was.
  FuzzTarget("ratchet-message", seeds: [sample.message]) { input in
    var (ratchet, skipped) = (sample.ratchet, sample.skipped)
    var keys = FreshKeys(InsecureSeededRandom(seed: 2))
    if (try? ratchet.decrypt(input.span.bytes, skipped: &skipped, keys: &keys)) != nil { return }
    precondition(ratchet == sample.ratchet && skipped == sample.skipped, "a refused message changed the ratchet")
  },
]
