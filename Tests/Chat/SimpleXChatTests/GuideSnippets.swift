import AgentCore
import AgentEngine
import AgentProtocol
import AgentStore
import ChatAPI
import ChatStore
import DoubleRatchet
import SMPProtocol
import SNTRUP761
import SimplexAgent
import SimplexCrypto
import SimplexJSON
import WireCodec

// The examples in the guides of the modules below the chat core; see Snippets.swift.

private func exampleOfJSON() {
  // snippet: Sources/Foundations/SimplexJSON/SimplexJSON.docc/SimplexJSON.md
  struct Greeting: JSONCodable {
    var name: String
    var nick: String?

    init(json: JSONNode) throws(JSONError) {
      var fields = try json.fields()
      name = try fields.get("name")
      nick = try fields.get("nick")
    }

    func encode(to json: inout JSONWriter) {
      json.beginObject()
      json.field("name", name)
      json.field("nick", nick)
      json.endObject()
    }
  }
  // end
  _ = Greeting.self
}

private func exampleOfCodecs() throws {
  // snippet: Sources/Foundations/WireCodec/WireCodec.docc/WireCodec.md
  struct Greeting {
    var name: String
    var answers: [UInt16]
    var isUrgent: Bool

    static let codec = Codec<Greeting>.record(
      Field("name", \.name, .shortText),
      Field("answers", \.answers, Codec<UInt16>.integer.list),
      Field("isUrgent", \.isUrgent, Codec<Bool>.bool.since(7, otherwise: false)),
      build: { Greeting(name: $0, answers: $1, isUrgent: $2) })
  }

  let bytes = try Greeting.codec.encode(Greeting(name: "Ann", answers: [4, 2], isUrgent: false), version: 7)
  let greeting = try Greeting.codec.decode(bytes, version: 7)
  // end
  _ = greeting
}

private func exampleOfCryptography(_ message: RawSpan, _ received: RawSpan) throws {
  // snippet: Sources/Cryptography/SimplexCrypto/SimplexCrypto.docc/SimplexCrypto.md
  var random = SystemRandom()
  let own = X25519.PrivateKey(using: &random)
  let key = try own.boxKey(with: X25519.PublicKey(der: received))
  let box = try key.seal(message, paddedTo: 16_000, nonce: BoxNonce(using: &random))
  // end
  _ = box
}

private func exampleOfEncapsulation() throws {
  // snippet: Sources/Cryptography/SNTRUP761/SNTRUP761.docc/SNTRUP761.md
  var random = SystemRandom()
  let pair = KEMKeyPair(using: &random)
  let (ciphertext, secret) = pair.publicKey.encapsulate(using: &random)
  let same = pair.secretKey.decapsulate(ciphertext)
  // end
  _ = (ciphertext, secret, same)
}

private func exampleOfRatchets() throws {
  // snippet: Sources/Cryptography/DoubleRatchet/DoubleRatchet.docc/DoubleRatchet.md
  var keys = FreshKeys()

  // Alice invites.
  let own = E2EPrivateKeys(version: E2EVersion.current, kem: .propose, keys: &keys)
  let offer = E2EOffer(own.parameters(version: E2EVersion.current), versions: E2EVersion.supported)

  // Bob joins, and encrypts.
  guard let invitation = offer.parameters() else { return }  // no version in common
  let reply = E2EPrivateKeys(version: invitation.version, kem: .reply(to: invitation, wantsPQ: true), keys: &keys)
  let versions = RatchetVersions(current: invitation.version)
  var bob = try Ratchet(joining: invitation, keys: reply, ratchetKey: keys.makeRatchetKey(), versions: versions)
  let message = try bob.encrypt(Array("hello".utf8).span.bytes, paddedTo: 13_618)

  // Alice receives Bob's parameters and the message.
  var alice = try Ratchet(
    accepting: reply.parameters(version: invitation.version), keys: own, versions: versions, wantsPQ: true)
  var skipped = SkippedKeys()
  let text = try alice.decrypt(message.span.bytes, skipped: &skipped, keys: &keys).body
  // end
  _ = text
}

private func exampleOfLinks(_ text: String, _ stored: QueueLinkData, presets: [SMPServerAddress]) throws {
  // snippet: Sources/Agent/AgentProtocol/AgentProtocol.docc/AgentProtocol.md
  // The text is "simplex:/a#…?h=smp.example.com", and the relay has the stored data under link.linkID.
  let link = try ShortLink.textCodec.decode(text: text).restored(presets: presets)
  let content = try LinkContent(opening: stored, of: link)  // decrypts and verifies, or throws LinkDataError
  let request = content.fixed.request
  // end
  _ = request
}

private func exampleOfTheEngine(
  path: String, servers: [AgentUserServer], now: Int64, perform: ([AgentEffect]) -> Void
) throws {
  // snippet: Sources/Agent/AgentEngine/AgentEngine.docc/AgentEngine.md
  let engine = AgentMachine(store: try AgentDatabase(path: path))
  perform(try engine.start(now: now))
  let user = try engine.createUser(servers: servers, now: now)
  perform(try engine.createConnection(user, mode: .invitation, now: now).effects)
  // end
}

private func exampleOfTheAgent(servers: [AgentUserServer], profile: [UInt8], store: ([UInt8]) throws -> Void)
  async throws
{
  // snippet: Sources/Agent/SimplexAgent/SimplexAgent.docc/SimplexAgent.md
  let agent = try await Agent.open(path: "agent.db")
  let user = try await agent.createUser(servers: servers)
  let (connection, link) = try await agent.createConnection(user, mode: .invitation)
  // The link goes to the peer by another channel.
  for await event in agent.events {
    switch event.kind {
    case .confirmation(let id, _, _, _): try await agent.allow(connection, id, info: profile)
    case .message(let metadata, _, let body):
      try store(body)
      try await agent.ack(connection, metadata.id)
    default: break
    }
    if let id = event.id { try await agent.confirmEvents(through: id) }
  }
  // end
  _ = link
}

private func exampleOfTheStore(_ user: User) throws {
  // snippet: Sources/Chat/ChatStore/ChatStore.docc/ChatStore.md
  let store = try ChatDatabase(path: "simplex_chat.db")
  let item = try store.transaction { db in
    let contact = try db.contact(named: "bob", of: user)
    let chat = ChatRef(chatType: .direct, chatId: contact.contactId)
    return try db.createItem(NewItem(chat: chat, content: .sndMsgContent(msgContent: .text("Hello"))), of: user)
  }
  // end
  _ = item
}

private func exampleOfResults(_ bytes: [UInt8], show: (Any) -> Void) {
  // snippet: Sources/Chat/ChatAPI/ChatAPI.docc/ChatAPI.md
  let result: APIResult<ChatResponse0> = decodeAPIResult(bytes)
  switch result {
  case .result(.apiChats(_, let chats)): show(chats)
  case .error(let error): show(error.text)
  default: show(result.unexpected.text)
  }
  // end
}
