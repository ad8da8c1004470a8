import SNTRUP761
import SimplexCrypto

// DHRatchetPQ2HE of pqdr.md in two halves: the first derives the keys that decrypt the current message, the second
// those for the reply. The second half is the expensive one, and runs only after the message was authenticated.

extension Ratchet {
  /// Begins the receiving chain of the peer's new keys.
  mutating func stepReceiving(_ header: MessageHeader) throws(RatchetError) {
    let kemSecret = try decapsulate(header.kem)
    let step = try KeyDerivation.root(rootKey, own: ownKey, peer: header.ratchetKey, kemSecret: kemSecret)
    rootKey = step.rootKey
    receiving = Chain(chainKey: step.chainKey, headerKey: nextReceivingHeaderKey)
    nextReceivingHeaderKey = step.nextHeaderKey
    receivedCount = 0
    receivesPQ = kemSecret != nil
  }

  /// Begins the sending chain with fresh keys of this side.
  mutating func stepSending(_ header: MessageHeader, keys: inout some RatchetKeySource) throws(RatchetError) {
    let (kemSecret, newKEM) = makeKEM(answering: header.kem, keys: &keys)
    let newKey = keys.makeRatchetKey()
    let step = try KeyDerivation.root(rootKey, own: newKey, peer: header.ratchetKey, kemSecret: kemSecret)
    rootKey = step.rootKey
    ownKey = newKey
    sending = Chain(chainKey: step.chainKey, headerKey: nextSendingHeaderKey)
    nextSendingHeaderKey = step.nextHeaderKey
    previousSentCount = sentCount
    sentCount = 0
    kem = newKEM
    sendsPQ = kemSecret != nil
    enablesPQ = sendsPQ || receivesPQ || newKEM != nil
    supportsPQ = supportsPQ || versions.current >= E2EVersion.postQuantum && enablesPQ
  }

  /// The secret that the peer encapsulated to this side's key, if any.
  private func decapsulate(_ parameters: KEMParameters?) throws(RatchetError) -> KEMSharedSecret? {
    guard case .accepted(let ciphertext, _) = parameters else { return nil }
    guard let kem else { throw .unexpectedKEM }
    return kem.secretKey.decapsulate(ciphertext)
  }

  /// The KEM of the new sending chain: accept what the peer proposes, or propose a key when neither side has yet.
  private func makeKEM(
    answering parameters: KEMParameters?, keys: inout some RatchetKeySource
  ) -> (secret: KEMSharedSecret?, state: KEMState?) {
    guard enablesPQ, versions.current >= E2EVersion.postQuantum else { return (nil, nil) }
    guard let parameters else {
      return (nil, kem == nil ? KEMState(secretKey: keys.makeKEMKey()) : nil)
    }
    let (ciphertext, secret) = keys.encapsulate(to: parameters.publicKey)
    return (secret, KEMState(secretKey: keys.makeKEMKey(), ciphertext: ciphertext))
  }
}
