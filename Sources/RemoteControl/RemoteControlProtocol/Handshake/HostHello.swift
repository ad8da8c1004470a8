import SNTRUP761
import SimplexCrypto
import SimplexJSON
import WireCodec

/// The content of the host's HELLO, the first message of a session. Source: XRCP, "Session handshake".
public struct HostHello: Hashable, Sendable {
  /// The version of the protocol that the host chose.
  public var version: UInt16
  /// The host's certificate authority, which has to be that of the TLS session.
  public var fingerprint: CertificateFingerprint
  /// The host's application as JSON (``HostAppInfo``), not interpreted.
  public var app: String
  /// The key that the controller encapsulates a secret for.
  public var kemKey: KEMPublicKey

  /// A message of its parts.
  public init(version: UInt16, fingerprint: CertificateFingerprint, app: String, kemKey: KEMPublicKey) {
    self.version = version
    self.fingerprint = fingerprint
    self.app = app
    self.kemKey = kemKey
  }
}

extension HostHello: JSONDecodable, JSONEncodable {
  /// Reads the record; members that are not known are skipped.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    version = try fields.get("v")
    fingerprint = try fields.get("ca")
    app = try fields.node("app").sourceText
    let text: String = try fields.get("kem")
    guard let bytes = Base64URL.decode(text), let key = try? KEMPublicKey(rawBytes: bytes) else {
      throw JSONError(.invalidText(type: "KEMPublicKey"), path: ["kem"])
    }
    kemKey = key
  }

  /// Writes the record; `app` has to be JSON.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("v", version)
    json.field("ca", fingerprint)
    json.key("app")
    json.verbatim(app)
    json.field("kem", Base64URL.string(kemKey.rawBytes))
    json.endObject()
  }
}

/// The host's HELLO as it is sent: the host's key of this session and the content in a box between it and the key of
/// the invitation.
public struct SealedHostHello: Hashable, Sendable {
  /// The host's key agreement key of this session, by which the controller announces the next one.
  public var hostKey: X25519.PublicKey
  /// The nonce of the box.
  public var nonce: BoxNonce
  /// The box.
  public var box: [UInt8]

  /// A received message.
  public init(hostKey: X25519.PublicKey, nonce: BoxNonce, box: [UInt8]) {
    self.hostKey = hostKey
    self.nonce = nonce
    self.box = box
  }

  /// A message with this content. `key` is the one between `hostKey` and the key of the invitation.
  /// - Throws: `blockSize` if the content is too long.
  public init(_ hello: HostHello, hostKey: X25519.PublicKey, key: BoxKey, nonce: BoxNonce) throws(RemoteControlError) {
    self.hostKey = hostKey
    self.nonce = nonce
    do {
      box = try key.seal(hello.jsonBytes(), paddedTo: HandshakeBlock.paddedSize, nonce: nonce)
    } catch {
      throw .blockSize
    }
  }

  /// `HELLO`, the key with a 1-byte length, the nonce and the box.
  public static let codec = Codec<SealedHostHello>.record(
    Field("hostKey", \.hostKey, X25519.PublicKey.codec), Field("nonce", \.nonce, BoxNonce.codec),
    Field("box", \.box, .tail), build: { SealedHostHello(hostKey: $0, nonce: $1, box: $2) }
  ).after("HELLO ")

  /// Opens the box by the key between ``hostKey`` and that of the invitation.
  /// - Throws: `decrypt` if it is another key's, `syntax` if the content is malformed.
  public func open(with key: BoxKey) throws(RemoteControlError) -> HostHello {
    guard let text = try? key.openPadded(box, nonce: nonce) else { throw .decrypt }
    do throws(JSONError) {
      return try HostHello(jsonBytes: text, limits: JSONLimits(depth: 32))
    } catch {
      throw .syntax(error.description)
    }
  }
}
