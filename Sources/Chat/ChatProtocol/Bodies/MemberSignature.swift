import SimplexCrypto
import WireCodec

/// The key and the context with which the user signs as a member of a channel.
public struct MemberSignature: Sendable {
  /// The key of the member.
  public var key: Ed25519.PrivateKey
  /// The identifiers of the channel and the member, to which signatures are bound.
  public var bindingData: [UInt8]

  /// Signs as a member of a channel.
  /// - Throws: for identifiers that are too long.
  public init(key: Ed25519.PrivateKey, publicGroupID: [UInt8], memberId: MemberId) throws(WireError) {
    self.key = key
    bindingData = try ChatBinding.groupData(publicGroupId: publicGroupID, memberId: memberId)
  }

  /// The element of a batch with a signed message.
  /// - Parameter body: the JSON of the message.
  public func element(_ body: [UInt8]) throws(ChatProtocolError) -> [UInt8] {
    try SignedMessage(signing: body, binding: .group, bindingData: bindingData, key: key).element()
  }
}

extension SignedMessage {
  /// The element of a batch with the message, as it was signed.
  public func element() throws(ChatProtocolError) -> [UInt8] {
    try wire { () throws(WireError) in try Self.codec.after("/").encode(self) }
  }
}

extension ConnectionInfo {
  /// The body for the agent of information that is signed. It is never compressed. A profile whose image makes it too
  /// long goes without it.
  /// - Throws: ``ChatProtocolError/tooLarge(limit:)`` if it is too long even so.
  public static func encode(
    _ event: ChatMessageEvent, signedBy signature: MemberSignature, versions: ChatVersionRange = ChatVersion.supported
  ) throws(ChatProtocolError) -> [UInt8] {
    let body = ChatMessage(chatVRange: versions, event: event).jsonBytes()
    if body.count <= ChatMessageSize.encodedInfo { return try signature.element(body) }
    guard let smaller = event.withoutProfileImage else { throw .tooLarge(limit: ChatMessageSize.encodedInfo) }
    return try encode(smaller, signedBy: signature, versions: versions)
  }
}
