import AgentProtocol
import DoubleRatchet
import SMPProtocol
import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

private let vectors = Result { try Vectors.load("agent.json") }

@Suite struct AgentVectorTests {
  @Test(arguments: try vectors.get().elements("agentMessages"))
  func messages(_ vector: Golden) throws {
    let bytes = try vector.hex("smp")
    let message = try AgentMessage.codec.decode(bytes)
    #expect(try AgentMessage.codec.encode(message) == bytes)
    let fields = try vector.member("fields")
    switch message {
    case .connectionInfo(let info):
      #expect(try info == fields.hex("connInfo"))
    case .connectionInfoReply(let queues, let info):
      #expect(try info == fields.hex("connInfo"))
      #expect(try queues.count == fields.elements("smpQueues").count)
      for (queue, expected) in zip(queues, try fields.elements("smpQueues")) {
        #expect(try Int(queue.clientVersion) == expected.int("clientVersion"))
        #expect(try isSame(queue.address, expected.member("address")))
      }
    case .ratchetInfo(let info):
      #expect(try info == fields.hex("info"))
    case .message(let header, let content):
      #expect(try Int(header.messageID) == fields.int("sndMsgId"))
      #expect(try header.previousHash == fields.hex("prevMsgHash"))
      try check(content, fields, type: try vector.string("type"))
    }
  }

  private func check(_ message: ConnectionMessage, _ fields: Golden, type: String) throws {
    let expected = fields.memberOrNull("message")
    switch message {
    case .hello: #expect(type.hasSuffix("HELLO"))
    case .message(let body): #expect(try body == expected.hex())
    case .received(let receipts):
      let wanted = try expected.elements().map {
        MessageReceipt(
          messageID: Int64(try $0.int("agentMsgId")), messageHash: try $0.hex("msgHash"), info: try $0.hex("rcptInfo"))
      }
      #expect(receipts == wanted)
    case .continueQueue(let queue): #expect(try isSame(queue, expected))
    case .addQueues(let queues):
      for (queue, wanted) in zip(queues, try expected.elements()) {
        #expect(try isSame(queue.queue.address, wanted.member("queueUri").member("address")))
        #expect((queue.replaces == nil) == (wanted["replaces"] == nil))
        if let replaced = queue.replaces { #expect(try isSame(replaced, wanted.member("replaces"))) }
      }
    case .queueKeys(let keys):
      for (key, wanted) in zip(keys, try expected.elements()) {
        #expect(try key.senderKey.publicKey.der == wanted.hex("senderAuthKey"))
      }
    case .useQueues(let queues):
      #expect(try queues.map(\.isPrimary) == expected.elements().map { try $0.bool("primary") })
    case .testQueues(let queues):
      for (queue, wanted) in zip(queues, try expected.elements()) { #expect(try isSame(queue, wanted)) }
    case .ratchetReady(let number): #expect(try Int(number) == expected.int())
    }
  }

  @Test(arguments: try vectors.get().elements("agentMsgEnvelopes"))
  func envelopes(_ vector: Golden) throws {
    let bytes = try vector.hex("smp")
    let envelope = try AgentEnvelope.codec.decode(bytes)
    #expect(try AgentEnvelope.codec.encode(envelope) == bytes)
    let fields = try vector.member("fields")
    #expect(try Int(envelope.version) == fields.int("agentVersion"))
    switch envelope.content {
    case .confirmation(let keys, let info):
      #expect(try info == fields.hex("encConnInfo"))
      #expect(try keys.map { try E2EParameters.codec.encode($0) } == fields["e2eEncryption"]?.hex())
    case .message(let encrypted):
      #expect(try encrypted == fields.hex("encAgentMessage"))
    case .invitation(let request, let info):
      #expect(try info == fields.hex("connInfo"))
      #expect(try ConnectionRequest.textCodec.text(request) == fields.string("connReqStr"))
    case .ratchetKey(let keys, let info):
      #expect(try info == fields.hex("info"))
      #expect(try E2EParameters.codec.encode(keys) == fields.hex("e2eEncryption"))
    }
  }

  @Test func paddedSizes() throws {
    let sizes = try vectors.get().member("paddedLengths")
    #expect(try PaddedSize.message(version: 7, isPostQuantum: false) == sizes.int("agentMsgNoPQ"))
    #expect(try PaddedSize.message(version: 7, isPostQuantum: true) == sizes.int("agentMsgPQ"))
    #expect(try PaddedSize.message(version: 4, isPostQuantum: true) == sizes.int("agentMsgNoPQ"))
    #expect(try PaddedSize.connectionInfo(version: 7, isPostQuantum: false) == sizes.int("connInfoNoPQ"))
    #expect(try PaddedSize.connectionInfo(version: 7, isPostQuantum: true) == sizes.int("connInfoPQ"))
    #expect(try PaddedSize.fixedLinkData == sizes.int("fixedLinkData"))
    #expect(try PaddedSize.userLinkData == sizes.int("userLinkData"))
  }
}

/// Whether a queue's address is the one that the reference wrote down.
func isSame(_ address: QueueAddress, _ golden: Golden) throws -> Bool {
  try address.senderID.bytes == golden.hex("senderId") && address.dhKey.rawBytes == golden.hex("dhPublicKey")
    && isSame(address.server, golden.member("server"))
}

func isSame(_ queue: QueueReference, _ golden: Golden) throws -> Bool {
  try queue.senderID.bytes == golden.hex("senderId") && isSame(queue.server, golden.member("server"))
}

func isSame(_ server: SMPServerAddress, _ golden: Golden) throws -> Bool {
  try server.hosts.map(\.description) == golden.elements("hosts").map { try $0.string() }
    && server.keyHash == golden.hex("keyHash") && (server.port.map(String.init) ?? "") == golden.string("port")
}
