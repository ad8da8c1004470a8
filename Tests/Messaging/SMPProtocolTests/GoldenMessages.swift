import SMPProtocol
import SimplexCrypto
import SimplexJSON
import SimplexTesting
import WireCodec

// Messages made of the fields that golden data states, so that encoding is checked against them as well.

extension Golden {
  /// The command of an element of `commands`.
  func command() throws -> Command {
    let fields = memberOrNull("fields")
    switch try string("command") {
    case "NEW": return .new(try fields.newQueue())
    case "SUB": return .sub
    case "SUBS": return .subs(.unknown)
    case "KEY": return .key(try fields.authorizationKey("senderAuthKeyDer"))
    case "RKEY":
      return .rkey(
        try fields.elements("rcvAuthKeysDer").map {
          try AuthorizationKey.codec.decode([UInt8($0.hex().count)] + $0.hex())
        })
    case "LSET": return .lset(LinkUpdate(linkID: try fields.entity("linkId"), data: try fields.linkData()))
    case "LDEL": return .ldel
    case "NKEY": return .nkey(try fields.notifierKeys())
    case "NDEL": return .ndel
    case "GET": return .get
    case "ACK": return .ack(MessageID(try fields.hex("msgId")))
    case "OFF": return .off
    case "DEL": return .del
    case "QUE": return .que
    case "SKEY": return .skey(try fields.authorizationKey("senderAuthKeyDer"))
    case "SEND":
      let flags = MessageFlags(notification: try fields.bool("notification"))
      return .send(SendRequest(flags: flags, body: try fields.bytes("body")))
    case "PING": return .ping
    case "LKEY": return .lkey(try fields.authorizationKey("senderAuthKeyDer"))
    case "LGET": return .lget
    case "NSUB": return .nsub
    case "NSUBS": return .nsubs(.unknown)
    case "PRXY": return .prxy(ProxyRequest(relay: try fields.server("server"), basicAuth: try fields.basicAuth()))
    case "PFWD":
      return .pfwd(
        ForwardRequest(
          version: UInt16(try fields.int("version")), key: try fields.x25519("keyDer"),
          transmission: try fields.bytes("encTransmission")))
    case "RFWD": return .rfwd(try fields.bytes("encFwdTransmission"))
    case let other: throw UnusableVector(reason: "\(path): unknown command \(other)")
    }
  }

  /// The message of an element of `brokerMessages`.
  func brokerMessage() throws -> BrokerMessage {
    let fields = memberOrNull("fields")
    switch try string("message") {
    case "IDS": return .ids(try fields.queueIDs())
    case "LNK": return .lnk(LinkResponse(senderID: try fields.entity("senderId"), data: try fields.linkData()))
    case "SOK": return .sok(try fields.entityOrNil("serviceId"))
    case "SOKS": return .soks(ServiceQueues(count: Int64(try fields.int("count")), hash: SIMD16()))
    case "ENDS": return .ends(ServiceQueues(count: Int64(try fields.int("count")), hash: SIMD16()))
    case "MSG": return .msg(SealedMessage(id: MessageID(try fields.hex("msgId")), box: try fields.bytes("encBody")))
    case "NID": return .nid(try fields.notifierIDs())
    case "NMSG":
      return .nmsg(
        NotificationMessage(nonce: try fields.nonce("nonce"), box: try fields.bytes("encMeta")))
    case "PKEY": return .pkey(try fields.proxySession())
    case "RRES": return .rres(try fields.bytes("encFwdResponse"))
    case "PRES": return .pres(try fields.bytes("encResponse"))
    case "END": return .end
    case "DELD": return .deld
    case "INFO":
      return .info(
        QueueInfo(
          qiSnd: try fields.bool("qiSnd"), qiNtf: try fields.bool("qiNtf"),
          qiSub: QSub(qSubThread: .subThread, qDelivered: try fields.member("qiSub").string("qDelivered")),
          qiSize: try fields.int("qiSize")))
    case "OK": return .ok
    case "PONG": return .pong
    case "ERR": return .err(try ProtocolErrorType(jsonBytes: fields.member("error").json()))
    case let other: throw UnusableVector(reason: "\(path): unknown message \(other)")
    }
  }

  private func newQueue() throws -> NewQueueRequest {
    NewQueueRequest(
      recipientKey: try authorizationKey("rcvAuthKeyDer"), recipientDHKey: try x25519("rcvDhKeyDer"),
      basicAuth: try basicAuth(), subscription: try bool("subscribe") ? .subscribe : .onlyCreate,
      purpose: try self["queueReqData"]?.purpose(), notifier: try self["ntfCreds"]?.notifierKeys())
  }

  private func purpose() throws -> QueuePurpose {
    let data = self["data"]
    if try string("mode") == "messaging" {
      return .messaging(try data.map { MessagingLink(senderID: try $0.entity("senderId"), data: try $0.linkData()) })
    }
    return .contact(
      try data.map {
        ContactLink(linkID: try $0.entity("linkId"), senderID: try $0.entity("senderId"), data: try $0.linkData())
      })
  }

  private func queueIDs() throws -> QueueIDs {
    QueueIDs(
      recipientID: try entity("rcvId"), senderID: try entity("sndId"), serverDHKey: try x25519("rcvPublicDhKeyDer"),
      mode: try self["queueMode"].map { try $0.string() == "messaging" ? .messaging : .contact },
      linkID: try entityOrNil("linkId"), serviceID: try entityOrNil("serviceId"),
      notifier: try self["serverNtfCreds"]?.notifierIDs())
  }

  private func proxySession() throws -> ProxySession {
    let versions = try elements("versionRange").map { UInt16(try $0.int()) }
    return ProxySession(
      sessionID: SessionID(try hex("sessionId")), versions: VersionRange(versions[0]...versions[1]),
      relayKey: CertifiedKey(
        certificates: try elements("certChain").map { try $0.hex() },
        key: try SignedKey.codec.decode(hex("signedKey"))))
  }

  private func linkData() throws -> QueueLinkData {
    let data = try member("linkData")
    return QueueLinkData(fixedData: try data.bytes("encFixedData"), userData: try data.bytes("encUserData"))
  }

  private func notifierKeys() throws -> NotifierKeys {
    NotifierKeys(notifierKey: try authorizationKey("ntfAuthKeyDer"), recipientDHKey: try x25519("rcvNtfDhKeyDer"))
  }

  private func notifierIDs() throws -> NotifierIDs {
    NotifierIDs(notifierID: try entity("notifierId"), serverDHKey: try x25519("rcvNtfDhKeyDer"))
  }

  private func basicAuth() throws -> BasicAuth? {
    try self["basicAuth"].flatMap { BasicAuth(Array(try $0.string().utf8)) }
  }
}
