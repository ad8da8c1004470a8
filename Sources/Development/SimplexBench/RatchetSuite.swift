import DoubleRatchet
import SimplexCrypto
import WireCodec

/// The size that messages of the agent are padded to (without post-quantum keys in the header).
private let paddedCount = 15_840

/// The double ratchet on one core, with full-size messages of 16 KB.
func ratchetSuite(_ bench: Bench) throws {
  let body = [UInt8](repeating: 7, count: paddedCount - Padding.prefixSize)
  try measureCipherAlone(bench)
  var pair = try Pair(pq: false)
  let rate = try bench.rate { blackHole(try pair.bob.ratchet.encrypt(body.span.bytes, paddedTo: paddedCount).count) }
  bench.record("encrypt 16 KB in one chain", rate, unit: "/s", goal: 40_000, reference: 1_585)
  bench.record("the same in bytes", rate * Double(paddedCount) / 1e9, unit: "GB/s")
  try bench.perSecond("encrypt 40 bytes padded to 16 KB in one chain") {
    blackHole(try pair.bob.ratchet.encrypt(body.span.bytes.extracting(0..<40), paddedTo: paddedCount).count)
  }
  pair = try Pair(pq: true)
  try bench.perSecond("encrypt 13 KB with post-quantum header in one chain") {
    blackHole(try pair.bob.ratchet.encrypt(body.span.bytes.extracting(0..<13_600), paddedTo: 13_618).count)
  }
  try measureDecryption(bench, body)
  try measureSkipped(bench, body)
  try measurePingPong(bench, body)
  try measureStoredForm(bench)
}

private func measureCipherAlone(_ bench: Bench) throws {
  var random = SystemRandom()
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: paddedCount, alignment: 64)
  defer { buffer.deallocate() }
  buffer.initializeMemory(as: UInt8.self, repeating: 7)
  let key = random.secret(AESGCM.keySize)
  let iv = random.secret(AESGCM.ratchetIVSize)
  try bench.gigabytesPerSecond("AES-256-GCM alone on 16 KB", bytes: paddedCount) {
    var span = buffer.mutableBytes
    blackHole(try AESGCM.seal(inPlace: &span, key: key.bytes, iv: iv.bytes))
  }
}

/// Decrypting needs messages: they are prepared in batches outside the measured time.
private func measureDecryption(_ bench: Bench, _ body: [UInt8]) throws {
  var pair = try Pair(pq: false)
  var best = 0.0
  for _ in 0..<10 {
    let messages = try (0..<1_000).map { _ in try pair.bob.ratchet.encrypt(body.span.bytes, paddedTo: paddedCount) }
    best = max(best, try ratePerSecond(messages.count) { try pair.alice.open(messages[$0]) })
  }
  bench.record("decrypt 16 KB in one chain", best, unit: "/s")
}

private func measureSkipped(_ bench: Bench, _ body: [UInt8]) throws {
  var (skipping, late) = (0.0, 0.0)
  let count = Int(Ratchet.maximumSkipped)
  for _ in 0..<10 {
    var pair = try Pair(pq: false)
    let messages = try (0...count).map { _ in try pair.bob.ratchet.encrypt(body.span.bytes, paddedTo: paddedCount) }
    skipping = max(skipping, try ratePerSecond(1) { _ in try pair.alice.open(messages[count]) })
    late = max(late, try ratePerSecond(count) { try pair.alice.open(messages[$0]) })
  }
  bench.record("messages skipped", skipping * Double(count), unit: "/s", note: "512 at once")
  bench.record("decrypt a skipped message of 16 KB", late, unit: "/s")
}

private func measurePingPong(_ bench: Bench, _ body: [UInt8]) throws {
  for (name, pq, isPrepared) in [
    ("round trip with two ratchet steps", false, false), ("round trip with two post-quantum steps", true, false),
    ("the same with keys made ahead", true, true),
  ] {
    var pair = try Pair(pq: pq)
    var best = 0.0
    for _ in 0..<5 {
      if isPrepared { pair.prepare(100) }
      best = max(best, try ratePerSecond(100) { _ in try pair.roundTrip(body.prefix(13_000)) })
    }
    bench.record(name, best, unit: "/s", goal: pq ? 300 : nil, reference: pq && !isPrepared ? 13.6 : nil)
  }
}

private func measureStoredForm(_ bench: Bench) throws {
  for (name, pq) in [("stored form, write and read", false), ("stored form with post-quantum keys", true)] {
    var pair = try Pair(pq: pq)
    try pair.roundTrip([1])
    try bench.perSecond(name) {
      let stored = try pair.alice.ratchet.encoded()
      blackHole(try Ratchet(decoding: stored.bytes).sentCount)
    }
  }
}

private func ratePerSecond(_ count: Int, _ operation: (Int) throws -> Void) rethrows -> Double {
  let elapsed = try ContinuousClock().measure { for index in 0..<count { try operation(index) } }
  return Double(count) / elapsed.inSeconds
}

/// One side of a connection.
private struct Party {
  var ratchet: Ratchet
  var skipped = SkippedKeys()
  var keys = FreshKeys()

  mutating func open(_ message: [UInt8]) throws {
    blackHole(try ratchet.decrypt(message.span.bytes, skipped: &skipped, keys: &keys).body.count)
  }
}

/// Both sides of a connection after their first messages.
private struct Pair {
  var alice: Party
  var bob: Party

  init(pq: Bool) throws {
    var keys = FreshKeys()
    let version = E2EVersion.current
    let own = E2EPrivateKeys(version: version, kem: pq ? .propose : nil, keys: &keys)
    let invitation = own.parameters(version: version)
    let reply = E2EPrivateKeys(version: version, kem: KEMUse.reply(to: invitation, wantsPQ: pq), keys: &keys)
    let versions = RatchetVersions(current: version)
    bob = Party(
      ratchet: try Ratchet(joining: invitation, keys: reply, ratchetKey: keys.makeRatchetKey(), versions: versions))
    alice = Party(
      ratchet: try Ratchet(
        accepting: reply.parameters(version: version), keys: own, versions: versions, wantsPQ: pq))
    try roundTrip([1])
  }

  mutating func prepare(_ count: Int) {
    alice.keys.prepare(ratchetKeys: count, kemKeys: count)
    bob.keys.prepare(ratchetKeys: count, kemKeys: count)
  }

  mutating func roundTrip(_ body: some Sequence<UInt8>) throws {
    let body = Array(body)
    try alice.open(try bob.ratchet.encrypt(body.span.bytes, paddedTo: 13_618))
    try bob.open(try alice.ratchet.encrypt(body.span.bytes, paddedTo: 13_618))
  }
}
