import RemoteControlCore
import RemoteControlProtocol
import SMPProtocol
import SimplexCrypto
import SimplexTesting
import Testing

@Suite struct FrameKeysTests {
  /// The keys of controller and host after a handshake with this secret.
  static func sample(_ byte: UInt8 = 1) -> (controller: FrameKeys, host: FrameKeys) {
    let secret: [UInt8] = [UInt8](repeating: byte, count: 32)
    let (first, second) = BoxKeyChain.pair(salt: RawSpan(), secret: secret.span.bytes)
    return (FrameKeys(sending: first, receiving: second), FrameKeys(sending: second, receiving: first))
  }

  /// The reference's test took one step for each body; frames take two.
  @Test func twoStepsOfTheReferencesChain() throws {
    let golden = try #require(vectors).member("session")
    let chains = try golden.member("chainKeys (hkdf salt empty)")
    var fromController = try BoxKeyChain(chainKey: SecretBytes(chains.hex("controllerSndHostRcv")))
    let hello = fromController.next()
    #expect(try hello.key == BoxKey(SecretBytes(golden.hex("ctrlHelloKey"))))
    #expect(try hello.nonce == BoxNonce(golden.hex("ctrlHelloNonce")))
    let fromHost = try BoxKeyChain(chainKey: SecretBytes(chains.hex("controllerRcvHostSnd")))
    let bodies = try golden.elements("bodies after hello")
    for (direction, keys) in [
      ("controller to host", FrameKeys(sending: fromController, receiving: fromHost)),
      ("host to controller", FrameKeys(sending: fromHost, receiving: fromController)),
    ] {
      var keys = keys
      let steps = try bodies.filter { try $0.string("direction") == direction }
      #expect(steps.count == 3)
      let first = try keys.send()
      let second = try keys.send()
      #expect(first.counter == 1 && second.counter == 2)
      for (golden, key) in zip(steps, [first.keys.body, first.keys.file, second.keys.body]) {
        #expect(try key.key == BoxKey(SecretBytes(golden.hex("key"))))
        #expect(try key.nonce == BoxNonce(golden.hex("nonce")))
      }
    }
  }

  @Test func framesInAnyOrder() throws {
    var (controller, host) = Self.sample()
    let sent = try (0..<5).map { _ in try controller.send() }
    for index in [2, 0, 4, 1, 3] {
      let (keys, next) = try host.receiving(sent[index].counter)
      #expect(keys == sent[index].keys)
      host = next
    }
    #expect(host.receivedCounter == 5)
    #expect(host.skippedCount == 0)
  }

  @Test func refusedCounters() throws {
    var (_, host) = Self.sample()
    #expect(throws: FrameError.duplicateID) { try host.receiving(0) }
    #expect(throws: FrameError.manySkippedIDs(257)) { try host.receiving(257) }
    #expect(throws: FrameError.manySkippedIDs(.max)) { try host.receiving(.max) }
    host = try host.receiving(3).next
    #expect(host.skippedCount == 2)
    #expect(throws: FrameError.duplicateID) { try host.receiving(3) }
    host = try host.receiving(1).next
    #expect(throws: FrameError.earlierID(2)) { try host.receiving(1) }
    #expect(throws: FrameError.earlierID(3)) { try host.receiving(0) }
    #expect(throws: FrameError.manySkippedIDs(257)) { try host.receiving(260) }
    host = try host.receiving(259).next
    #expect(host.skippedCount == 256)
  }

  /// A session in which frames are lost now and then does not end by that.
  @Test func keysOfTheOldestSkippedFramesAreForgotten() throws {
    var (controller, host) = Self.sample()
    var lost: [UInt32] = []
    for _ in 0..<300 {
      lost.append(try controller.send().counter)
      let sent = try controller.send()
      let (keys, next) = try host.receiving(sent.counter)
      #expect(keys == sent.keys)
      host = next
      #expect(host.skippedCount <= FrameKeys.skippedLimit)
    }
    #expect(host.skippedCount == 256)
    #expect(throws: FrameError.self) { try host.receiving(lost[43]) }
    #expect(throws: Never.self) { _ = try host.receiving(lost[44]) }
  }

  @Test(arguments: propertySeeds(20))
  func framesOfParallelStreams(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var (controller, host) = Self.sample(UInt8(truncatingIfNeeded: seed))
    var flying: [(counter: UInt32, keys: FrameKeyPair)] = []
    for _ in 0..<600 {
      if flying.isEmpty || (flying.count < 100 && Bool.random(using: &generator)) {
        flying.append(try controller.send())
        continue
      }
      let sent = flying.remove(at: Int.random(in: flying.indices, using: &generator))
      // Looking at a frame that turns out not to be authentic changes nothing.
      let before = host
      _ = try? host.receiving(UInt32.random(in: 0...1_000, using: &generator))
      #expect(host == before)
      let (keys, next) = try host.receiving(sent.counter)
      #expect(keys == sent.keys)
      host = next
    }
  }
}

@Suite struct FrameCipherTests {
  private let identity: Ed25519.PrivateKey
  private let session: Ed25519.PrivateKey
  private let id = SessionID([UInt8](repeating: 7, count: 32))

  init() {
    var random = InsecureSeededRandom(seed: 1)
    identity = Ed25519.PrivateKey(using: &random)
    session = Ed25519.PrivateKey(using: &random)
  }

  private func ciphers(
    session id: SessionID? = nil, secret: UInt8 = 1, compressed: Bool = false
  ) -> (controller: FrameCipher, host: FrameCipher) {
    let (controller, host) = FrameKeysTests.sample(secret)
    return (
      FrameCipher(
        session: id ?? self.id, side: .controller(sessionKey: session, identityKey: identity), keys: controller,
        isCompressing: compressed),
      FrameCipher(
        session: id ?? self.id, side: .host(sessionKey: session.publicKey, identityKey: identity.publicKey),
        keys: host, isCompressing: compressed)
    )
  }

  private func read(_ bytes: [UInt8], by cipher: FrameCipher) throws -> ReceivedFrame {
    var reader = cipher.reader
    let result = try #require(try reader.append(bytes))
    #expect(result.rest.isEmpty)
    return result.frame
  }

  @Test(arguments: [false, true])
  func bothDirections(compressed: Bool) throws {
    var (controller, host) = ciphers(compressed: compressed)
    let command = RemoteCommand.send(command: "/u", retryNumber: 0).jsonBytes()
    let request = try controller.seal(command)
    let received = try host.open(read(request.bytes, by: host))
    #expect(received.json == command)
    #expect(received.fileKey == request.fileKey)
    let answer = RemoteResponse.chatEvent(nil).jsonBytes()
    let response = try host.seal(answer)
    let opened = try controller.open(read(response.bytes, by: controller))
    #expect(opened.json == answer)
    #expect(opened.fileKey == response.fileKey)
  }

  @Test func failedFramesLeaveTheCipherUnchanged() throws {
    var (controller, host) = ciphers()
    let frame = try read(try controller.seal([1, 2, 3]).bytes, by: host)
    func refuses(_ frame: ReceivedFrame, _ error: FrameError) {
      #expect(throws: error) { try host.open(frame) }
    }
    var unsigned = frame
    unsigned.signatures = nil
    refuses(unsigned, .remoteControl(.controllerAuthorization))
    for key in [\FrameSignatures.session, \FrameSignatures.identity] {
      var forged = frame
      forged.signatures?[keyPath: key][0] ^= 1
      refuses(forged, .remoteControl(.controllerAuthorization))
    }
    var changed = frame
    changed.head.counter = 2
    refuses(changed, .remoteControl(.controllerAuthorization))
    // Signed by the controller, but damaged, or of another session.
    func sign(_ frame: ReceivedFrame) -> ReceivedFrame {
      var frame = frame
      frame.signatures = FrameSignatures(
        of: frame.head, box: frame.box, sessionKey: session, identityKey: identity)
      return frame
    }
    var damaged = frame
    damaged.box[0] ^= 1
    refuses(sign(damaged), .remoteControl(.decrypt))
    var later = frame
    later.head.counter = 5
    refuses(sign(later), .remoteControl(.decrypt))
    later.head.counter = 400
    refuses(sign(later), .manySkippedIDs(400))
    var others = ciphers(session: SessionID([1, 2])).controller
    refuses(try read(try others.seal([1]).bytes, by: host), .sessionCode)
    #expect(try host.open(frame).json == [1, 2, 3])
    refuses(frame, .duplicateID)
  }

  @Test func damagedCompressionUsesTheNumberUp() throws {
    var plain = ciphers().controller
    var host = ciphers(compressed: true).host
    let frame = try read(try plain.seal([1, 2, 3]).bytes, by: host)
    #expect(throws: FrameError.invalidBody("damaged compression")) { try host.open(frame) }
    #expect(throws: FrameError.duplicateID) { try host.open(frame) }
  }

  @Test func sizes() throws {
    var (controller, host) = ciphers()
    let most = [UInt8](repeating: 1, count: 16 << 20)
    #expect(try host.open(read(try controller.seal(most).bytes, by: host)).json == most)
    #expect(throws: FrameError.invalidSize) { try controller.seal(most + [1]) }
  }
}
