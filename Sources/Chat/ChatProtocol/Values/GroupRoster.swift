import ChatAPI
import SimplexCrypto
import SimplexJSON
import WireCodec

/// What an owner signs of the members who are more than observers, in groups with relays: which version of the list
/// it is, and the file with the list, which follows over the same connection (version 19).
public struct GroupRoster: JSONCodable, Hashable, Sendable {
  /// The version of the list; it grows with every change.
  public var version: Int64
  /// The file.
  public var fileInv: InlineFileInvitation

  public init(version: Int64, fileInv: InlineFileInvitation) {
    self.version = version
    self.fileInv = fileInv
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    try self.init(members: &fields)
  }

  init(members fields: inout JSONFields) throws(JSONError) {
    version = try fields.get("version")
    fileInv = try fields.get("fileInv")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    encodeMembers(to: &json)
    json.endObject()
  }

  func encodeMembers(to json: inout JSONWriter) {
    json.field("version", version)
    json.field("fileInv", fileInv)
  }
}

/// A file that follows over the same connection without being asked for.
public struct InlineFileInvitation: JSONCodable, Hashable, Sendable {
  /// Its size in bytes.
  public var fileSize: Int64
  /// Its SHA-512 digest: all that says that the file is the sender's.
  public var fileDigest: OpaqueBytes

  /// A file of this size and digest.
  public init(fileSize: Int64, fileDigest: OpaqueBytes) {
    self.fileSize = fileSize
    self.fileDigest = fileDigest
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    fileSize = try fields.get("fileSize")
    fileDigest = try fields.get("fileDigest")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("fileSize", fileSize)
    json.field("fileDigest", fileDigest)
    json.endObject()
  }
}

/// A member in the list of a ``GroupRoster``.
public struct RosterMember: Hashable, Sendable {
  /// The member.
  public var memberId: MemberId
  /// The key its messages are signed with.
  public var key: Ed25519.PublicKey
  /// The role.
  public var role: GroupMemberRole
  /// For later versions; 0 now.
  public var privileges: UInt16

  public init(memberId: MemberId, key: Ed25519.PublicKey, role: GroupMemberRole, privileges: UInt16 = 0) {
    self.memberId = memberId
    self.key = key
    self.role = role
    self.privileges = privileges
  }

  /// The longest list, in members.
  public static let limit = 256

  /// The wire form of a member.
  public static let codec = Codec<RosterMember>.record(
    Field("memberId", \.memberId, MemberId.codec), Field("key", \.key, Ed25519.PublicKey.codec),
    Field("role", \.role, Codec<String>.shortText.map({ GroupMemberRole(rawValue: $0) }, \.rawValue)),
    Field("privileges", \.privileges, .integer),
    build: { RosterMember(memberId: $0, key: $1, role: $2, privileges: $3) })

  /// The file: the number of members in 2 bytes, and the members.
  public static let listCodec = Codec<[RosterMember]>(
    decode: { (reader) throws(WireError) -> [RosterMember] in
      let count = try reader.integer(UInt16.self)
      guard count <= limit else { throw reader.failure(.tooLong(limit: limit)) }
      var members: [RosterMember] = []
      for _ in 0..<count { members.append(try codec.decode(&reader)) }
      return members
    },
    encode: { (members, writer) throws(WireError) in
      guard members.count <= limit, let count = UInt16(exactly: members.count) else {
        throw writer.failure(.tooLong(limit: limit))
      }
      writer.append(integer: count)
      for member in members { try codec.encode(member, &writer) }
    })
}
