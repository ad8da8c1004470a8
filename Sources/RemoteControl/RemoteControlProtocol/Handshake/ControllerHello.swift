import SNTRUP761
import SimplexCrypto
import SimplexJSON
import WireCodec

/// The controller's answer to the host's HELLO. Source: XRCP, "Session handshake".
public enum ControllerHello: Hashable, Sendable {
  /// The session is accepted: an encapsulated secret, and a box with the first key of the controller's chain.
  case hello(KEMCiphertext, box: [UInt8])
  /// The session is refused, for the reason in a box with the key of the HELLO.
  case error(BoxNonce, box: [UInt8])

  /// The content of the box: a record without members so far.
  static let content = Array("{}".utf8)

  /// Accepts the session. Advances the controller's chain by one step.
  public static func accepting(_ ciphertext: KEMCiphertext, chain: inout BoxKeyChain) throws(CryptoError) -> Self {
    let (key, nonce) = chain.next()
    return .hello(ciphertext, box: try key.seal(content, paddedTo: HandshakeBlock.paddedSize, nonce: nonce))
  }

  /// Refuses the session. `key` is that of the host's HELLO.
  public static func refusing(_ reason: String, key: BoxKey, nonce: BoxNonce) throws(CryptoError) -> Self {
    .error(nonce, box: try key.seal(Array(reason.utf8), paddedTo: HandshakeBlock.paddedSize, nonce: nonce))
  }

  /// Checks the box of an accepted session by the next key of the controller's chain, and advances the chain.
  /// - Throws: `decrypt` if it has another key, `syntax` if the content is no record; then the chain is unchanged.
  public static func open(_ box: [UInt8], chain: inout BoxKeyChain) throws(RemoteControlError) {
    var advanced = chain
    let (key, nonce) = advanced.next()
    guard let text = try? key.openPadded(box, nonce: nonce) else { throw .decrypt }
    do throws(JSONError) {
      let document = try JSONDocument(parsing: text, limits: JSONLimits(depth: 32))
      guard document.root.isObject else { throw JSONError(.wrongType(expected: "an object")) }
    } catch {
      throw .syntax(error.description)
    }
    chain = advanced
  }

  /// The reason of a refusal; what is not UTF-8 is repaired. `key` is that of the host's HELLO.
  /// - Throws: `decrypt` if the box has another key.
  public static func reason(in box: [UInt8], key: BoxKey, nonce: BoxNonce) throws(RemoteControlError) -> String {
    guard let text = try? key.openPadded(box, nonce: nonce) else { throw .decrypt }
    return String(decoding: text, as: UTF8.self)
  }

  /// `HELLO`, the ciphertext with a 2-byte length and the box; or `ERROR`, the nonce and the box.
  public static let codec = Codec<ControllerHello>.keywords(
    "HELLO or ERROR",
    Alternative(
      "HELLO", ciphertext.pair(.tail, separator: ""), { .hello($0, box: $1) },
      { if case .hello(let ciphertext, let box) = $0 { (ciphertext, box) } else { nil } }),
    Alternative(
      "ERROR", BoxNonce.codec.pair(.tail, separator: ""), { .error($0, box: $1) },
      { if case .error(let nonce, let box) = $0 { (nonce, box) } else { nil } }))

  private static let ciphertext = Codec<[UInt8]>.large.compactMap(
    "a ciphertext of sntrup761", { try? KEMCiphertext(rawBytes: $0) }, \.rawBytes)
}
