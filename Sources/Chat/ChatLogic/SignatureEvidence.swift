import ChatAPI
import ChatProtocol
import SimplexCrypto
import WireCodec

/// The evidence for the author of a received message.
public enum SignatureEvidence: Hashable, Sendable {
  /// The author signed the message for this group.
  case verified
  /// The message is signed and the signature cannot be checked, which is enough for it.
  case noKey
  /// The message is not signed and need not be.
  case optional
  /// The message is ignored.
  case refused(Refusal)

  /// The reason for which a message is ignored.
  public enum Refusal: Hashable, Sendable {
    /// The event has to be signed, and is not.
    case missing
    /// A signature is not that of the author's key over these bytes in this group.
    case wrong
    /// The event has to be signed by a known key, and the author's is not known.
    case unknownKey
    /// The event has to be signed for the group, and is signed for another context.
    case otherBinding
  }

  /// The state of the signature as items and events show it; nil where there is none.
  public var status: MsgSigStatus? {
    switch self {
    case .verified: .verified
    case .noKey: .signedNoKey
    case .optional, .refused: nil
    }
  }
}

/// The checks of signatures in one group.
public struct SignatureRules: Sendable {
  /// The topology of the group.
  public var topology: GroupTopology
  /// The identifier of the channel (32 bytes); nil for groups without relays.
  public var publicGroupID: [UInt8]?
  /// The role of the user.
  public var userRole: GroupMemberRole

  /// The checks in a group of a topology.
  public init(topology: GroupTopology, publicGroupID: [UInt8]?, userRole: GroupMemberRole) {
    self.topology = topology
    self.publicGroupID = publicGroupID
    self.userRole = userRole
  }

  /// The checks in a group.
  public init(_ group: GroupInfo) {
    self.init(
      topology: group.topology,
      publicGroupID: group.groupProfile.publicGroup.flatMap { Base64URL.decode($0.publicGroupId) },
      userRole: group.membership.memberRole)
  }

  /// The evidence for the author of a message.
  /// - Parameters:
  ///   - signed: the signatures with the exact bytes that they are of; nil for a message without.
  ///   - author: the member who is named as the author.
  public func evidence(
    _ signed: SignedMessage?, of event: ChatMessageEvent, by author: GroupMember
  ) -> SignatureEvidence {
    let isRequired = topology.requiresSignatures && event.requiresSignature
    guard let signed else { return isRequired ? .refused(.missing) : .optional }
    guard let text = author.memberPubKey else {
      return isRequired && !mayLackKey(event, author) ? .refused(.unknownKey) : .noKey
    }
    guard signed.binding == .group else { return isRequired ? .refused(.otherBinding) : .noKey }
    guard let key = Ed25519.PublicKey(text: text), let data = bindingData(of: author, key),
      signed.isSigned(by: key, bindingData: data)
    else { return .refused(.wrong) }
    return .verified
  }

  /// Whether a member without a known key may send an event that has to be signed: subscribers of a channel know no
  /// keys of each other, and leaving or a new profile concern the member alone.
  private func mayLackKey(_ event: ChatMessageEvent, _ author: GroupMember) -> Bool {
    switch event {
    case .grpLeave, .info: userRole < .moderator && author.memberRole < .moderator
    default: false
    }
  }

  /// The data that a member's signature is bound to; nil for identifiers that cannot be read.
  private func bindingData(of author: GroupMember, _ key: Ed25519.PublicKey) -> [UInt8]? {
    guard let id = MemberId(text: author.memberId) else { return nil }
    if let publicGroupID { return try? ChatBinding.groupData(publicGroupId: publicGroupID, memberId: id) }
    // Groups without relays have no identifier of their own, so that the member's key takes its place.
    return try? MemberId.codec.encode(id) + Ed25519.PublicKey.codec.encode(key)
  }
}
