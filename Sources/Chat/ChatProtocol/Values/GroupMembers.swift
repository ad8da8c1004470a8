import AgentProtocol
import ChatAPI
import SimplexCrypto
import SimplexJSON
import WireCodec

/// The information that members exchange about a member.
public struct MemberInfo: JSONCodable, Hashable, Sendable {
  /// The member.
  public var memberId: MemberId
  /// The role.
  public var memberRole: GroupMemberRole
  /// The versions its client speaks, if known.
  public var v: ChatVersionRange?
  /// The profile.
  public var profile: Profile
  /// The key its messages are signed with, in groups with relays.
  public var memberKey: Ed25519.PublicKey?

  public init(
    memberId: MemberId, memberRole: GroupMemberRole, v: ChatVersionRange? = nil, profile: Profile,
    memberKey: Ed25519.PublicKey? = nil
  ) {
    self.memberId = memberId
    self.memberRole = memberRole
    self.v = v
    self.profile = profile
    self.memberKey = memberKey
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    memberId = try fields.get("memberId")
    memberRole = try fields.get("memberRole")
    v = try fields.getIfPresent("v", ChatVersionRange.textCodec)
    profile = try fields.get("profile")
    memberKey = try fields.getIfPresent("memberKey", Ed25519.PublicKey.textCodec)
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("memberId", memberId)
    json.field("memberRole", memberRole)
    json.field("v", v, ChatVersionRange.textCodec)
    json.field("profile", profile)
    json.field("memberKey", memberKey, Ed25519.PublicKey.textCodec)
    json.endObject()
  }
}

/// The restrictions of a member that others have to know before they connect.
public struct MemberRestrictions: JSONCodable, Hashable, Sendable {
  /// Whether its messages are hidden.
  public var restriction: MemberRestrictionStatus

  /// Restrictions of a member.
  public init(restriction: MemberRestrictionStatus) { self.restriction = restriction }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    restriction = try fields.get("restriction")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("restriction", restriction)
    json.endObject()
  }
}

/// Whether a member's messages are hidden.
public enum MemberRestrictionStatus: RawRepresentable, JSONCodable, Hashable, Sendable {
  /// Hidden for everybody.
  case blocked
  /// Shown.
  case unrestricted
  /// A restriction of a newer version.
  case unknown(String)

  /// The restriction with this name.
  public init(rawValue: String) {
    switch rawValue {
    case "blocked": self = .blocked
    case "unrestricted": self = .unrestricted
    default: self = .unknown(rawValue)
    }
  }

  /// The name.
  public var rawValue: String {
    switch self {
    case .blocked: "blocked"
    case .unrestricted: "unrestricted"
    case .unknown(let name): name
    }
  }
}

/// Links by which one member connects to another who was introduced.
public struct IntroInvitation: JSONCodable, Hashable, Sendable {
  /// The invitation link of the connection in the group.
  public var groupConnReq: ConnectionRequest
  /// The invitation link of a contact, from old clients.
  public var directConnReq: ConnectionRequest?

  /// Links of these connections.
  public init(groupConnReq: ConnectionRequest, directConnReq: ConnectionRequest? = nil) {
    self.groupConnReq = groupConnReq
    self.directConnReq = directConnReq
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    groupConnReq = try fields.get("groupConnReq", ConnectionRequest.invitationTextCodec)
    directConnReq = try fields.getIfPresent("directConnReq", ConnectionRequest.invitationTextCodec)
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("groupConnReq", groupConnReq, ConnectionRequest.invitationTextCodec)
    json.field("directConnReq", directConnReq, ConnectionRequest.invitationTextCodec)
    json.endObject()
  }
}

/// Who wrote a message that a host or relay forwards, and when the host's relay received it.
public struct MessageForward: Hashable, Sendable {
  /// Who wrote a forwarded message.
  public enum Sender: Hashable, Sendable {
    /// A member, with its name for members who do not know it yet; empty from old clients.
    case member(MemberId, name: String)
    /// The channel, and no member in particular.
    case channel

    /// The wire form.
    public static let codec = Codec<Sender>.tagged(
      "the sender of a forwarded message",
      Alternative("M", MemberId.codec.pair(.shortText, separator: ""), { .member($0.0, name: $0.1) }) { sender in
        if case .member(let id, let name) = sender { (id, name) } else { nil }
      }, Alternative("C", .channel))
  }

  /// Who wrote it.
  public var sender: Sender
  /// When the relay received it; binary forms carry whole seconds.
  public var brokerTs: UTCTime

  /// A forwarded message's origin.
  public init(sender: Sender, brokerTs: UTCTime) {
    self.sender = sender
    self.brokerTs = brokerTs
  }

  /// The binary form.
  public static let codec = Codec<MessageForward>.record(
    Field("sender", \.sender, Sender.codec), Field("brokerTs", \.brokerTs, UTCTime.secondsCodec),
    build: { MessageForward(sender: $0, brokerTs: $1) })
}
