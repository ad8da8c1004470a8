import SimplexCrypto
import WireCodec

/// A message with its author's signatures, for groups whose messages pass through relays.
///
/// `body` is exactly what was signed: encoding the message again could produce other bytes.
public struct SignedMessage: Hashable, Sendable {
  /// The context that the signatures are bound to besides the message.
  public var binding: ChatBinding
  /// At least one signature.
  public var signatures: [MessageSignature]
  /// The JSON of the message.
  public var body: [UInt8]

  public init(binding: ChatBinding, signatures: [MessageSignature], body: [UInt8]) {
    self.binding = binding
    self.signatures = signatures
    self.body = body
  }

  /// Signs `body`. `bindingData` says in which chat: see ``ChatBinding``.
  public init(signing body: [UInt8], binding: ChatBinding, bindingData: [UInt8], key: Ed25519.PrivateKey) {
    let signature = key.signature(of: binding.signedPrefix(bindingData) + body)
    self.init(binding: binding, signatures: [MessageSignature(bytes: signature)], body: body)
  }

  /// Whether all signatures are those of the holder of `key` in the chat of `bindingData`.
  public func isSigned(by key: Ed25519.PublicKey, bindingData: [UInt8]) -> Bool {
    let signed = binding.signedPrefix(bindingData) + body
    return !signatures.isEmpty && signatures.allSatisfy { key.isValid($0.bytes, of: signed) }
  }

  /// What follows the `/`: binding, signatures, and the body to the end.
  public static let codec = Codec<SignedMessage>.record(
    Field("binding", \.binding, ChatBinding.codec),
    Field("signatures", \.signatures, MessageSignature.codec.nonEmptyList), Field("body", \.body, .tail),
    build: { SignedMessage(binding: $0, signatures: $1, body: $2) })
}

/// The context that a signature is bound to, so that it is not valid in another chat.
public enum ChatBinding: UInt8, Hashable, Sendable, CaseIterable {
  /// A member's message in a group; its data are the group's and the member's identifiers.
  case group = 0x47  // G
  /// A message between contacts; its data is the hash of the ratchet's associated data.
  case direct = 0x44  // D
  /// A message of a channel; its data is the group's identifier.
  case channel = 0x43  // C

  /// One letter.
  public static let codec = Codec<UInt8>.integer.compactMap(
    "a binding", { ChatBinding(rawValue: $0) }, { $0.rawValue })

  /// The data of a member's signature.
  public static func groupData(publicGroupId: [UInt8], memberId: MemberId) throws(WireError) -> [UInt8] {
    try Codec<[UInt8]>.short.encode(publicGroupId) + MemberId.codec.encode(memberId)
  }

  /// The data of a channel's signature.
  public static func channelData(publicGroupId: [UInt8]) throws(WireError) -> [UInt8] {
    try Codec<[UInt8]>.short.encode(publicGroupId)
  }

  /// The prefix of the signed bytes before the message.
  public func signedPrefix(_ bindingData: [UInt8]) -> [UInt8] { [rawValue] + bindingData }
}

/// A signature with the key it belongs to: always the author's member key.
public struct MessageSignature: Hashable, Sendable {
  /// Ed25519: 64 bytes; Ed448: 114, which no client makes.
  public var bytes: [UInt8]

  /// A signature by the author's member key.
  public init(bytes: [UInt8]) { self.bytes = bytes }

  /// `M` and the signature after its length.
  public static let codec = Codec<[UInt8]>.short
    .validated("a signature") { $0.count == Ed25519.signatureSize || $0.count == Ed448.signatureSize }
    .map({ MessageSignature(bytes: $0) }, \.bytes).after("M")
}
