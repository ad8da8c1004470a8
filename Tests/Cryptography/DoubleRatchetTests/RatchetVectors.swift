import Foundation
import SNTRUP761
import SimplexCrypto
import SimplexTesting
import WireCodec

@testable import DoubleRatchet

/// A JSON object of the golden data as our ratchet.
func importedRatchet(_ state: Golden) throws -> Ratchet {
  try ReferenceRatchet(jsonBytes: Array(JSONSerialization.data(withJSONObject: state.value))).ratchet
}

/// The keys of skipped messages as the vectors list them.
func importedSkipped(_ chains: Golden) throws -> SkippedKeys {
  SkippedKeys(
    try chains.elements().map { chain in
      var keys: [UInt32: MessageKey] = [:]
      for key in try chain.elements("messageKeys") {
        keys[UInt32(try key.int("n"))] = MessageKey(secret: SecretBytes(try key.hex("key") + key.hex("iv")))
      }
      return SkippedKeys.Chain(headerKey: SecretBytes(try base64(chain.member("headerKey"))), keys: keys)
    })
}

func base64(_ golden: Golden) throws -> [UInt8] {
  guard let bytes = Base64URL.decode(try golden.string()) else {
    throw Golden.Missing(description: "\(golden.path) is no base64url")
  }
  return bytes
}

/// Returns the keys that the reference implementation generated when it reached a state, so that ours reaches it too.
struct RecordedKeys: RatchetKeySource {
  let state: Golden

  private func imported() -> Ratchet {
    guard let ratchet = try? importedRatchet(state) else { fatalError("\(state.path) is no ratchet") }
    return ratchet
  }

  func makeRatchetKey() -> X448.PrivateKey { imported().ownKey }

  func makeKEMKey() -> KEMSecretKey {
    guard let kem = imported().kem else { fatalError("\(state.path) has no KEM keys") }
    return kem.secretKey
  }

  func encapsulate(to peer: KEMPublicKey) -> (ciphertext: KEMCiphertext, secret: KEMSharedSecret) {
    guard let accepted = state["rcKEM"]?["rcKEMs"], let ciphertext = imported().kem?.ciphertext,
      let secret = try? KEMSharedSecret(secret: SecretBytes(base64(accepted.member("rcPQRss")))),
      let key = try? base64(accepted.member("rcPQRr"))
    else { fatalError("\(state.path) has accepted no KEM") }
    precondition(peer.rawBytes == key, "\(state.path): a secret for another key")
    return (ciphertext, secret)
  }
}

extension Ratchet {
  mutating func encrypt(
    _ message: [UInt8], paddedTo paddedCount: Int, pq: Bool? = nil, supportedVersion: UInt16 = E2EVersion.current
  ) throws(RatchetError) -> [UInt8] {
    try encrypt(message.span.bytes, paddedTo: paddedCount, pq: pq, supportedVersion: supportedVersion)
  }

  mutating func decrypt(
    _ message: [UInt8], skipped: inout SkippedKeys, keys: inout some RatchetKeySource
  ) throws(RatchetError) -> DecryptedMessage {
    try decrypt(message.span.bytes, skipped: &skipped, keys: &keys)
  }
}
