import ChatAPI
import SimplexCrypto
import SimplexJSON
import WireCodec

/// The state of a call in the reference's database, which has calls only while they ring: `{"invitationReceived":{…}}`.
struct ReferenceCallState: JSONCodable {
  /// Media and capabilities that the caller asked for.
  let callType: CallType
  /// The key for the offer; nil for a call without encryption, as is the secret.
  let publicKey: X25519.PublicKey?
  /// The secret of both sides, 32 bytes.
  let shared: SecretBytes?

  init(callType: CallType, publicKey: X25519.PublicKey?, shared: SecretBytes?) {
    (self.callType, self.publicKey, self.shared) = (callType, publicKey, shared)
  }

  init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    guard fields.tag == "invitationReceived" else { throw JSONError(.unknownCase(fields.tag)) }
    callType = try fields.get("peerCallType")
    let (key, secret): (String?, String?) = (try fields.get("localDhPubKey"), try fields.get("sharedKey"))
    publicKey = try key.map { (text) throws(JSONError) in
      do { return try X25519.PublicKey.textCodec.decode(text: text) } catch {
        throw JSONError(.invalidText(type: "public key"))
      }
    }
    shared = try secret.map { (text) throws(JSONError) in
      guard let bytes = Base64URL.decode(text), bytes.count == AESGCM.keySize else {
        throw JSONError(.invalidText(type: "key"))
      }
      return SecretBytes(bytes)
    }
  }

  func encode(to json: inout JSONWriter) {
    json.beginSum("invitationReceived")
    json.field("peerCallType", callType)
    json.field("localDhPubKey", publicKey.flatMap { try? X25519.PublicKey.textCodec.text($0) })
    if let shared { json.field("sharedKey", shared.withUnsafeBytes { Base64URL.string(Array($0)) }) }
    json.endSum()
  }
}
