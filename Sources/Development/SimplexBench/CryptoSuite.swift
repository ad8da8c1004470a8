import SimplexCrypto

/// The primitives, one core. Boxes and AES-GCM work on blocks of 16 KB in place.
func cryptoSuite(_ bench: Bench) throws {
  var random = SystemRandom()
  try measureCiphers(bench, &random)
  try measureAgreement(X25519.self, "X25519", bench: bench, random: &random)
  try measureAgreement(X448.self, "X448", bench: bench, random: &random)
  measureSignatures(Ed25519.self, "Ed25519", bench: bench, random: &random)
  measureSignatures(Ed448.self, "Ed448", bench: bench, random: &random)
  measureHashes(bench, &random)
}

private func measureCiphers(_ bench: Bench, _ random: inout SystemRandom) throws {
  let size = 16_384
  let block = random.bytes(size)
  let key = random.secret(32)
  let iv = random.bytes(16)
  let data = random.bytes(100)

  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size + BoxKey.overhead, alignment: 64)
  defer { buffer.deallocate() }
  buffer.copyBytes(from: block)
  let text = UnsafeMutableRawBufferPointer(rebasing: buffer[..<size])

  try bench.gigabytesPerSecond("AES-256-GCM seal 16 KB in place", bytes: size) {
    var span = text.mutableBytes
    blackHole(
      try AESGCM.seal(inPlace: &span, key: key.bytes, iv: iv.span.bytes, authenticating: data.span.bytes))
  }
  var span = text.mutableBytes
  let tag = try AESGCM.seal(inPlace: &span, key: key.bytes, iv: iv.span.bytes)
  let ciphertext = [UInt8](text)
  try bench.gigabytesPerSecond("AES-256-GCM open 16 KB into a new array", bytes: size) {
    blackHole(try AESGCM.open(ciphertext.span.bytes, tag: tag, key: key.bytes, iv: iv.span.bytes).count)
  }
  try bench.gigabytesPerSecond("ChaCha20-Poly1305 seal 16 KB in place", bytes: size) {
    var span = text.mutableBytes
    blackHole(try ChaCha20Poly1305.seal(inPlace: &span, key: key.bytes, nonce: iv.span.bytes.extracting(0..<12)))
  }

  let boxKey = BoxKey(using: &random)
  let nonce = BoxNonce(using: &random)
  try bench.gigabytesPerSecond("box seal 16 KB in place", bytes: size) {
    var span = buffer.mutableBytes
    try boxKey.sealInPlace(&span, nonce: nonce)
  }
  let box = boxKey.seal(block, nonce: nonce)
  try bench.gigabytesPerSecond("box open 16 KB into a new array", bytes: size) {
    blackHole(try boxKey.open(box, nonce: nonce).count)
  }
  var chain = BoxKeyChain.pair(salt: iv.span.bytes, secret: key.bytes).first
  let content = random.bytes(size - 18)
  try bench.gigabytesPerSecond("transport block of a key chain: derive, pad, seal", bytes: size) {
    var span = text.mutableBytes
    try chain.seal(content.span.bytes, intoBlock: &span)
  }
  var authorized = random.bytes(200)
  bench.perSecond("command authenticator of 200 bytes") {
    authorized[0] &+= 1
    blackHole(boxKey.authenticator(of: authorized, nonce: nonce).count)
  }
}

private func measureAgreement<A: KeyAgreementAlgorithm>(
  _ algorithm: A.Type, _ name: String, bench: Bench, random: inout SystemRandom
) throws {
  let own = PrivateKey<A>(using: &random)
  let peer = PrivateKey<A>(using: &random).publicKey
  try bench.perSecond("\(name) shared secret") { blackHole(try own.sharedSecret(with: peer)) }
  bench.perSecond("\(name) key pair") { blackHole(PrivateKey<A>(using: &random)) }
}

private func measureSignatures<A: SignatureAlgorithm>(
  _ algorithm: A.Type, _ name: String, bench: Bench, random: inout SystemRandom
) {
  let key = PrivateKey<A>(using: &random)
  let message = random.bytes(200)
  let signature = key.signature(of: message)
  let publicKey = key.publicKey
  bench.perSecond("\(name) sign 200 bytes") { blackHole(key.signature(of: message).count) }
  bench.perSecond("\(name) verify 200 bytes") { precondition(publicKey.isValid(signature, of: message)) }
}

private func measureHashes(_ bench: Bench, _ random: inout SystemRandom) {
  let chainKey = random.secret(32)
  bench.perSecond("HKDF-SHA-512 of 96 bytes", note: "once per ratchet message") {
    blackHole(HKDF.derive(from: chainKey.bytes, info: "SimpleXChainRatchet", count: 96))
  }
  let block = random.bytes(16_384)
  for function in HashFunction.allCases {
    bench.gigabytesPerSecond("\(function) of 16 KB", bytes: block.count) { blackHole(function.digest(of: block).count) }
  }
}
