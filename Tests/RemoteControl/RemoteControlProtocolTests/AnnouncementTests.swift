import RemoteControlProtocol
import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

@Suite("Announcements have the bytes of the reference implementation")
struct AnnouncementTests {
  let golden: Golden
  let hostKey: X25519.PrivateKey

  init() throws {
    golden = try #require(vectors).member("announcement")
    hostKey = try golden.privateKey("hostDhPrivateKeyDer")
  }

  @Test func datagram() throws {
    let bytes = try golden.hex("datagram")
    #expect(bytes.count == Announcement.size)
    let received = try ReceivedInvitation.codec.decode(text: golden.string("signedInvitation"))
    let invitation = try #require(received.verified())
    let key = try invitationVectors[0].privateKey("dhPrivateKeyDer", X25519.self).boxKey(with: hostKey.publicKey)
    let announcement = try Announcement(invitation, key: key, nonce: BoxNonce(golden.hex("nonce")))
    #expect(try Announcement.codec.encode(announcement) == bytes)
    let decoded = try Announcement.codec.decode(bytes)
    #expect(decoded == announcement)
    #expect(try decoded.open(with: [hostKey]) == invitation)
  }

  @Test func isOpenedByAnyOfTheKeys() throws {
    let announcement = try Announcement.codec.decode(try golden.hex("datagram"))
    let other = SampleKeys(seed: 1).dh
    #expect(try announcement.open(with: [other, hostKey]).text == golden.string("signedInvitation"))
    #expect(throws: RemoteControlError.controllerNotFound) { try announcement.open(with: [other]) }
    #expect(throws: RemoteControlError.controllerNotFound) { try announcement.open(with: []) }
  }

  @Test func hasOneSize() throws {
    let bytes = try golden.hex("datagram")
    #expect(throws: WireError.self) { try Announcement.codec.decode(Array(bytes.dropLast())) }
    #expect(throws: WireError.self) { try Announcement.codec.decode(bytes + [0]) }
    #expect(throws: WireError.self) { try Announcement.codec.decode([]) }
  }

  @Test func aContentOfAnotherSessionIsRefused() throws {
    let keys = SampleKeys(seed: 4)
    let others = SampleKeys(seed: 5)
    let signed = keys.sign(try keys.invitation())
    let key = try others.dh.boxKey(with: hostKey.publicKey)
    var announcement = try Announcement(signed, key: key, nonce: BoxNonce(fitting: [1]))
    announcement.controllerKey = others.dh.publicKey
    #expect(throws: RemoteControlError.invitation) { try announcement.open(with: [hostKey]) }
    let forged = keys.sign(
      try {
        var invitation = try keys.invitation()
        invitation.identityKey = others.identity.publicKey
        return invitation
      }())
    let forgedKey = try keys.dh.boxKey(with: hostKey.publicKey)
    let wrong = try Announcement(forged, key: forgedKey, nonce: BoxNonce(fitting: [1]))
    #expect(throws: RemoteControlError.invitation) { try wrong.open(with: [hostKey]) }
  }

  @Test func keysOfLowOrderAreNoController() throws {
    let zero = try X25519.PublicKey(rawBytes: [UInt8](repeating: 0, count: 32))
    let announcement = Announcement(
      controllerKey: zero, nonce: BoxNonce(fitting: [1]), box: [UInt8](repeating: 0, count: 916))
    #expect(throws: RemoteControlError.controllerNotFound) { try announcement.open(with: [hostKey]) }
  }

  @Test func longInvitationsDoNotFit() throws {
    let keys = SampleKeys(seed: 6)
    let app = "\"" + String(repeating: "a", count: 500) + "\""
    let signed = keys.sign(try keys.invitation(app: app))
    let key = try keys.dh.boxKey(with: hostKey.publicKey)
    #expect(throws: CryptoError.self) { try Announcement(signed, key: key, nonce: BoxNonce(fitting: [1])) }
  }
}
