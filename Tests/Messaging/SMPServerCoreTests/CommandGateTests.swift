import SMPProtocol
import SimplexCrypto
import Testing

@testable import SMPServerCore

@Suite struct CommandGateTests {
  /// A wrong signature is checked with the keys of its kind alone.
  @Test func keysOfOtherKindsAreNotChecked() {
    var random = SystemRandom()
    let keys: [AuthorizationPrivateKey] = [
      .ed25519(Ed25519.PrivateKey(using: &random)), .ed448(Ed448.PrivateKey(using: &random)),
      .x25519(X25519.PrivateKey(using: &random)),
    ]
    let proofs: [ReceivedAuthorization.Proof] = [.ed25519([]), .ed448([]), .authenticator([])]
    for (index, proof) in proofs.enumerated() {
      #expect(keys.indices.filter { proof.isOfKind(of: keys[$0].publicKey) } == [index])
    }
  }
}
