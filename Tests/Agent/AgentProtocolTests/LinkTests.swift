import Foundation
import AgentProtocol
import SMPProtocol
import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

private let links = Result { try Vectors.load("connection-links.json") }
private let linkData = Result { try Vectors.load("agent.json").elements("shortLinkData") }

@Suite struct ConnectionLinkTests {
  @Test(arguments: try links.get().elements("invitationLinks") + links.get().elements("contactLinks"))
  func fullLinks(_ vector: Golden) throws {
    let text = try ConnectionRequest.textCodec.decode(text: try vector.string("str"))
    #expect(try isSame(text, vector.member("strDecodesTo")))
    let binary = try ConnectionRequest.codec.decode(try vector.hex("smp"))
    #expect(try isSame(binary, vector.member("smpDecodesTo")))
    // What is read is written in one form, which is read as the same again.
    #expect(try ConnectionRequest.textCodec.decode(text: try ConnectionRequest.textCodec.text(text)) == text)
    #expect(try ConnectionRequest.codec.decode(try ConnectionRequest.codec.encode(binary)) == binary)
    if try vector.member("link").value as? NSDictionary == vector.member("strDecodesTo").value as? NSDictionary {
      #expect(try ConnectionRequest.textCodec.text(text) == vector.string("str"))
      #expect(try ConnectionRequest.codec.encode(text) == vector.hex("smp"))
    }
  }

  private func isSame(_ request: ConnectionRequest, _ golden: Golden) throws -> Bool {
    let data = try golden.member("data")
    let versions = try data.elements("agentVRange").map { try $0.int() }
    let queues = try data.elements("smpQueues")
    let mode = try golden.string("mode")
    guard Int(request.agentVersions.lowest) == versions[0], Int(request.agentVersions.highest) == versions[1],
      request.clientData == (try data["clientData"]?.string()), request.queues.count == queues.count,
      (request.kind == .contact) == (mode == "contact")
    else { return false }
    return try zip(request.queues, queues).allSatisfy { queue, expected in
      let range = try expected.elements("clientVRange").map { try $0.int() }
      let address = try expected.member("address")
      return try isSame(queue.address, address) && Int(queue.clientVersions.lowest) == range[0]
        && Int(queue.clientVersions.highest) == range[1]
        && queue.address.mode.map { "\($0)" } == address["queueMode"]?.string()
    }
  }

  private func isSame(_ address: QueueAddress, _ golden: Golden) throws -> Bool {
    try AgentProtocolTests.isSame(address, golden)
  }

  @Test(arguments: [
    "", "simplex:", "simplex:/contact", "simplex:/contact#/?", "simplex:/contact#/?v=1", "simplex:/contact#/?v=1&smp=",
    "http://simplex.chat/contact#/?v=1&smp=a", "simplex:/invitation#/?v=2-7&smp=smp%3A%2F%2Fx%40y",
    "simplex:/contact#/?v=7-2&smp=a", "https:///contact#/?v=1",
  ])
  func malformedLinksAreRefused(text: String) {
    #expect(throws: WireError.self) { try ConnectionRequest.textCodec.decode(text: text) }
  }
}

@Suite struct ShortLinkTests {
  @Test(arguments: try links.get().elements("invitationShortLinks") + links.get().elements("contactShortLinks"))
  func shortLinks(_ vector: Golden) throws {
    let presets = try links.get().elements("presetServersForShortLinks").map {
      try SMPServerAddress.textCodec.decode(text: try $0.string())
    }
    let link = try ShortLink.textCodec.decode(text: try vector.string("str"))
    #expect(try ShortLink.textCodec.text(link) == vector.string("str"))
    #expect(try ShortLink.codec.encode(link) == vector.hex("smp"))
    let binary = try ShortLink.codec.decode(try vector.hex("smp"))
    #expect(binary.scheme == .server)
    #expect(binary.kind == link.kind && binary.server == link.server && binary.linkKey == link.linkKey)
    #expect(
      try ShortLink.textCodec.text(link.shortened(presets: presets)) == vector.string("shortenedWithPresetServers"))
    #expect(try ShortLink.textCodec.text(link.restored(presets: presets)) == vector.string("restoredWithPresetServers"))
    let fields = try vector.member("link")
    #expect(try link.linkKey == fields.hex("linkKey"))
    #expect(try AgentProtocolTests.isSame(link.server, fields.member("server")))
  }

  @Test(arguments: [
    "simplex:/i#AAAA?h=a", "simplex:/x#AAAA?h=a", "simplex:/a#?h=a", "simplex:/a#AAAA", "https:///a#AAAA",
    "ftp://a/a#AAAA", "simplex:/a#AAAA?h=a&p=99999", "simplex:/a#AAA*?h=a", "simplex:a#AAAA?h=a",
  ])
  func malformedLinksAreRefused(text: String) {
    #expect(throws: WireError.self) { try ShortLink.textCodec.decode(text: text) }
  }

  @Test(arguments: ["relay.example", "127.0.0.1", "::1", "2001:db8::5223", "aaaa.onion"])
  func everyHostIsReadAsWritten(host: String) throws {
    for port in [nil, 443, 5223] as [UInt16?] {
      let server = SMPServerAddress(
        try TransportHost.textCodec.decode(text: host), port: port, keyHash: [UInt8](repeating: 7, count: 32))
      for server in [server, server.adding([.domain("other.example")]), server.adding(server.hosts)] {
        for scheme in [ShortLink.Scheme.simplex, .server] {
          let link = ShortLink(scheme: scheme, kind: .contact(.contact), server: server, linkKey: [1, 2, 3])
          let text = try ShortLink.textCodec.text(link)
          #expect(try ShortLink.textCodec.decode(text: text) == link, "\(text)")
        }
      }
    }
  }
}

@Suite struct LinkDataTests {
  private func link(_ vector: Golden) throws -> ShortLink {
    let server = try #require(SMPServerAddress(hosts: [.domain("smp.example.com")], keyHash: []))
    let isInvitation = try vector.string("mode") == "invitation"
    return ShortLink(
      kind: isInvitation ? .invitation(linkID: EntityID([])) : .contact(.contact), server: server,
      linkKey: try vector.hex("linkKey"))
  }

  private func data(_ vector: Golden) throws -> QueueLinkData {
    QueueLinkData(fixedData: try vector.hex("encryptedFixedData"), userData: try vector.hex("encryptedUserData"))
  }

  @Test(arguments: try linkData.get())
  func isRecoveredAndVerified(_ vector: Golden) throws {
    let content = try LinkContent(opening: try data(vector), of: try link(vector))
    #expect(try content.user.content == vector.hex("userData"))
    #expect(try content.fixed.rootKey.rawBytes == vector.hex("rootPublicKey"))
    #expect(try content.fixed.entityID == vector["linkEntityId"]?.hex())
    #expect(try ConnectionRequest.codec.encode(content.fixed.request) == vector.hex("connReqSmp"))
    #expect(try ConnectionRequest.textCodec.text(content.fixed.request) == vector.string("connReqStr"))
    #expect(try link(vector).boxKey.secret == SecretBytes(try vector.hex("secretBoxKey")))
    if let linkID = try vector["linkId"]?.hex() { #expect(try link(vector).linkID.bytes == linkID) }
  }

  @Test(arguments: try linkData.get())
  func isMadeAsTheReferenceMakesIt(_ vector: Golden) throws {
    let content = try LinkContent(opening: try data(vector), of: try link(vector))
    let key = try Ed25519.PrivateKey(der: try vector.hex("rootPrivateKeyDer"))
    let fixed = try LinkContent.signedFixedData(content.fixed, by: key)
    #expect(try fixed.signed == vector.hex("signedFixedData"))
    #expect(try fixed.linkKey == vector.hex("linkKey"))
    let signer = try vector["userDataSignedBy"].map { try Ed25519.PrivateKey(der: try $0.hex()) } ?? key
    #expect(try LinkContent.signedUserData(content.user, by: signer) == vector.hex("signedUserData"))
    let encrypted = try vector.hex("encryptedFixedData")
    let nonce = try BoxNonce(Array(encrypted.prefix(BoxNonce.size)).span.bytes)
    let sealed = try LinkContent.seal(
      fixed.signed, paddedTo: PaddedSize.fixedLinkData, key: try link(vector).boxKey, nonce: nonce)
    #expect(sealed == encrypted)
  }

  @Test(arguments: try linkData.get())
  func whatARelayChangesIsNoticed(_ vector: Golden) throws {
    let link = try link(vector)
    let boxKey = try link.boxKey
    let content = try LinkContent(opening: try data(vector), of: link)
    let rootKey = try Ed25519.PrivateKey(der: try vector.hex("rootPrivateKeyDer"))
    var random = InsecureSeededRandom(seed: 1)
    let stranger = Ed25519.PrivateKey(using: &random)
    let nonce = BoxNonce(using: &random)

    func sealed(_ fixed: [UInt8]?, _ user: [UInt8]?) throws -> QueueLinkData {
      var data = try data(vector)
      if let fixed {
        data.fixedData = try LinkContent.seal(fixed, paddedTo: PaddedSize.fixedLinkData, key: boxKey, nonce: nonce)
      }
      if let user {
        data.userData = try LinkContent.seal(user, paddedTo: PaddedSize.userLinkData, key: boxKey, nonce: nonce)
      }
      return data
    }

    var flipped = try data(vector)
    flipped.userData[100] ^= 1
    #expect(throws: LinkDataError.cannotDecrypt) { try LinkContent(opening: flipped, of: link) }
    #expect(throws: LinkDataError.cannotDecrypt) {
      try LinkContent(opening: QueueLinkData(fixedData: [], userData: [1, 2]), of: link)
    }

    var changed = content.fixed
    changed.entityID = [1]
    let (replaced, _) = try LinkContent.signedFixedData(changed, by: rootKey)
    #expect(throws: LinkDataError.wrongHash) { try LinkContent(opening: try sealed(replaced, nil), of: link) }

    let forged = try LinkContent.signedUserData(content.user, by: stranger)
    #expect(throws: LinkDataError.wrongUserSignature) { try LinkContent(opening: try sealed(nil, forged), of: link) }

    let (wrongFixed, _) = try LinkContent.signedFixedData(content.fixed, by: stranger)
    #expect(throws: LinkDataError.wrongFixedSignature) {
      try LinkContent(opening: try sealed(wrongFixed, nil), of: link)
    }
  }

  @Test func ownersMayChangeDataWhenAuthorized() throws {
    let vector = try #require(try linkData.get().first { try $0.string("mode") == "contact" })
    let link = try link(vector)
    let rootKey = try Ed25519.PrivateKey(der: try vector.hex("rootPrivateKeyDer"))
    var random = InsecureSeededRandom(seed: 2)
    let first = Ed25519.PrivateKey(using: &random)
    let second = Ed25519.PrivateKey(using: &random)
    let nonce = BoxNonce(using: &random)

    func open(_ owners: [LinkOwner], signedBy key: Ed25519.PrivateKey) throws -> LinkContent {
      let user = UserLinkData(
        agentVersions: AgentVersion.supported, kind: .contact(ContactLinkData(isDirect: true, owners: owners)),
        content: [UInt8](repeating: 7, count: 300))
      var data = try data(vector)
      data.userData = try LinkContent.seal(
        try LinkContent.signedUserData(user, by: key), paddedTo: PaddedSize.userLinkData, key: try link.boxKey,
        nonce: nonce)
      return try LinkContent(opening: data, of: link)
    }

    let one = LinkOwner(ownerID: [1], key: first.publicKey, authorizedBy: rootKey)
    let two = LinkOwner(ownerID: [2], key: second.publicKey, authorizedBy: first)
    #expect(try open([one, two], signedBy: second).user.content.count == 300)
    #expect(throws: LinkDataError.unauthorizedOwner) { try open([two, one], signedBy: second) }
    #expect(throws: LinkDataError.duplicateOwner) { try open([one, one], signedBy: first) }
    #expect(throws: LinkDataError.wrongUserSignature) { try open([one], signedBy: second) }
    let root = LinkOwner(ownerID: [3], key: rootKey.publicKey, authorizedBy: rootKey)
    #expect(throws: LinkDataError.duplicateOwner) { try open([root], signedBy: rootKey) }
  }
}
