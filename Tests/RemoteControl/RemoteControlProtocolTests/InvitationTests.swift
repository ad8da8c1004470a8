import RemoteControlProtocol
import SMPProtocol
import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

@Suite("Invitations have the bytes of the reference implementation")
struct InvitationTests {
  @Test func vectorsAreThere() { #expect(invitationVectors.count == 3) }

  @Test(arguments: invitationVectors)
  func signedLink(golden: Golden) throws {
    let invitation = try golden.invitation()
    #expect(try invitation.unsignedText == golden.string("uriUnsigned (signed by session key)"))
    let signed = invitation.signed(
      sessionKey: try golden.privateKey("sessionPrivateKeyDer"),
      identityKey: try golden.privateKey("identityPrivateKeyDer"))
    #expect(try signed.text == golden.string("signedUri"))
    let received = try ReceivedInvitation.codec.decode(text: signed.text)
    #expect(received.unverified == invitation)
    #expect(received.verified() == signed)
    #expect(try ReceivedInvitation.codec.text(received) == signed.text)
  }

  @Test func anyChangeInvalidatesASignature() throws {
    let text = try invitationVectors[0].string("signedUri")
    var refused = 0
    for index in text.utf8.indices.dropFirst(6) {
      var bytes = Array(text.utf8)
      let position = text.utf8.distance(from: text.utf8.startIndex, to: index)
      bytes[position] = bytes[position] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      guard let received = try? ReceivedInvitation.codec.decode(bytes) else { continue }
      #expect(received.verified() == nil, "byte \(position)")
      refused += 1
    }
    #expect(refused > 300)
  }

  /// Spellings that decode to the same values are other bytes, so other signatures.
  @Test func signaturesCoverTheReceivedBytes() throws {
    let text = try invitationVectors[0].string("signedUri")
    let spelled = text.replacing("my%20desktop", with: "my+desktop")
    let received = try ReceivedInvitation.codec.decode(text: spelled)
    #expect(try received.unverified == invitationVectors[0].invitation())
    #expect(received.verified() == nil)
  }

  @Test func eachParameterOccursOnceAndSignaturesLast() throws {
    let text = try invitationVectors[0].string("signedUri")
    func parameter(_ name: String) throws -> String {
      try #require(text.split(separator: "&").first { $0.hasPrefix(name + "=") }.map(String.init))
    }
    for name in ["app", "ts", "skey", "idkey", "dh", "ssig", "idsig"] {
      let part = try parameter(name)
      for doubled in ["&\(part)&\(part)", "&\(part)&%\(String(part.utf8.first ?? 0, radix: 16))\(part.dropFirst())"] {
        #expect(throws: WireError.self, "\(name)") {
          try ReceivedInvitation.codec.decode(text: text.replacing("&\(part)", with: doubled))
        }
      }
      #expect(throws: WireError.self, "\(name)") {
        try ReceivedInvitation.codec.decode(text: text.replacing("&\(part)", with: ""))
      }
    }
    #expect(throws: WireError.self) { try ReceivedInvitation.codec.decode(text: text + "&x=1") }
    let ssig = try parameter("ssig")
    #expect(throws: WireError.self) {
      try ReceivedInvitation.codec.decode(text: text.replacing("&\(ssig)", with: "") + "&" + ssig)
    }
    #expect(throws: WireError.self) { try ReceivedInvitation.codec.decode(text: text.replacing("&ts=", with: "&&ts=")) }
    #expect(try ReceivedInvitation.codec.decode(text: text.replacing("&ts=", with: "&new=1&ts=")).verified() == nil)
  }

  @Test func hosts() throws {
    let keys = SampleKeys(seed: 1)
    for (host, written) in [("::1", "::1"), ("[2001:db8::1]", "2001:db8::1"), ("desk.local", "desk.local")] {
      let signed = keys.sign(try keys.invitation(host: host))
      #expect(signed.text.contains("@\(written):5000#/?"))
      #expect(try ReceivedInvitation.codec.decode(text: signed.text).verified() == signed)
      let bracketed = signed.text.replacing("@\(written)", with: "@[2001:db8::1]")
      #expect(
        try ReceivedInvitation.codec.decode(text: bracketed).unverified.host
          == TransportHost.textCodec.decode(text: "2001:db8::1"))
    }
    let text = keys.sign(try keys.invitation()).text
    for host in ["[desk.local]", "[]", "", "%zz", "[::1", "a b"] {
      #expect(throws: WireError.self, "\(host)") {
        try ReceivedInvitation.codec.decode(text: text.replacing("192.168.1.2", with: host))
      }
    }
    for port in ["", "65536", "-1", "1x"] {
      #expect(throws: WireError.self) {
        try ReceivedInvitation.codec.decode(text: text.replacing(":5000#", with: ":\(port)#"))
      }
    }
  }

  @Test func linksEndAtWhiteSpaceAndHaveALimit() throws {
    let keys = SampleKeys(seed: 2)
    let signed = keys.sign(try keys.invitation())
    var reader = Reader(Array("\(signed.text) rest".utf8).span.bytes)
    #expect(try ReceivedInvitation.codec.decode(&reader).verified() == signed)
    #expect(reader.remaining == 5)
    let long = keys.sign(try keys.invitation(app: "\"" + String(repeating: "a", count: 17_000) + "\""))
    #expect(throws: WireError.self) { try ReceivedInvitation.codec.decode(text: long.text) }
  }
}

@Suite("Device names of invitations can be read by every host")
struct DeviceNameTests {
  private func name(_ name: String) throws -> (name: String, signed: SignedInvitation) {
    let keys = SampleKeys(seed: 3)
    var invitation = try keys.invitation()
    invitation.setApp(ControllerAppInfo(versions: sampleVersions, deviceName: name, compresses: true))
    return (try invitation.appInfo().deviceName, keys.sign(invitation))
  }

  @Test(
    arguments: [
      ("My desktop", "My desktop"), ("100% + more", "100  more"), ("Имя «я»", "Имя «я»"), ("a\u{7}b\n\u{85}", "ab"),
      ("quote \" and \\", "quote \" and \\"), ("", ""), ("+%+", ""),
    ])
  func cleaned(name: String, expected: String) throws { #expect(try self.name(name).name == expected) }

  @Test func theRecordHasSortedKeys() throws {
    #expect(
      try name("x").signed.invitation.app
        == #"{"appVersionRange":{"maxVersion":"7.0.0.6","minVersion":"6.5.0.12"},"compression":true,"deviceName":"x"}"#)
  }

  @Test(arguments: ["a", "я", "\"", "👩‍👩‍👧‍👦", " "])
  func longNamesAreCutToFitAnAnnouncement(character: String) throws {
    let (cut, signed) = try name(String(repeating: character, count: 900))
    #expect(signed.text.utf8.count <= SignedInvitation.announcedLimit)
    #expect(cut.allSatisfy { String($0) == character } && !cut.isEmpty)
    let (longer, _) = try name(cut + character)
    #expect(longer == cut)
  }
}
