import DoubleRatchet
import SimplexCrypto
import WireCodec

/// The source of the seeds: a connection with post-quantum keys, one message in flight and one skipped.
private struct Sample {
  let parameters: E2EParameters
  let offer: E2EOffer
  let privateKeys: E2EPrivateKeys
  let sealer: MessageSealer
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
    offer = E2EOffer(invitation, versions: E2EVersion.supported)
    privateKeys = reply
    ratchet = receiver
    self.skipped = skipped
  }
}

private let sample: Sample = {
  guard let sample = try? Sample() else { preconditionFailure("the sample connection fails") }
  return sample
}()

private func encoded<Value>(_ value: Value, _ codec: Codec<Value>) -> [[UInt8]] {
  (try? codec.encode(value)).map { [$0] } ?? []
}

/// Law of a stored form: encoding a decoded value returns the same bytes.
private func storedForm<Value: StoredSecret>(_ name: String, _ value: Value) -> FuzzTarget {
  let seed = try? value.encoded()
  return FuzzTarget(name, seeds: seed.map { [[UInt8](copying: $0.bytes)] } ?? []) { input in
    guard let decoded = try? Value(decoding: input.span.bytes) else { return }
    guard let again = try? decoded.encoded(), again == SecretBytes(input) else {
      preconditionFailure("\(name): accepted bytes are not what encoding gives: \(input)")
    }
  }
}

let doubleRatchetTargets: [FuzzTarget] = [
  .codec("ratchet-parameters", E2EParameters.codec, seeds: encoded(sample.parameters, E2EParameters.codec)),
  .codec("ratchet-offer", E2EOffer.codec, seeds: encoded(sample.offer, E2EOffer.codec)),
  .codec("ratchet-offer-text", E2EOffer.textCodec, lenient: true, seeds: encoded(sample.offer, E2EOffer.textCodec)),
  storedForm("ratchet-private-keys", sample.privateKeys),
  storedForm("ratchet-sealer", sample.sealer),
  storedForm("ratchet-state", sample.ratchet),
  storedForm("ratchet-skipped", sample.skipped),
  // Law: a ratchet that refuses an input is unchanged.
  FuzzTarget("ratchet-message", seeds: [sample.message]) { input in
    var (ratchet, skipped) = (sample.ratchet, sample.skipped)
    var keys = FreshKeys(InsecureSeededRandom(seed: 2))
    if (try? ratchet.decrypt(input.span.bytes, skipped: &skipped, keys: &keys)) != nil { return }
    precondition(ratchet == sample.ratchet && skipped == sample.skipped, "a refused message changed the ratchet")
  },
]
