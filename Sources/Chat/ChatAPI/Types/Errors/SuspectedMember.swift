import SimplexJSON

/// A group member who has the name that was looked for among contacts. In JSON a list of the two.
public struct SuspectedMember: JSONCodable, Hashable, Sendable {
  /// The group.
  public var groupInfo: GroupInfo
  /// The member.
  public var groupMember: GroupMember

  /// A member of a group.
  public init(groupInfo: GroupInfo, groupMember: GroupMember) {
    self.groupInfo = groupInfo
    self.groupMember = groupMember
  }

  /// Reads the list.
  public init(json: JSONNode) throws(JSONError) {
    let pair = try JSONPair<GroupInfo, GroupMember>(json: json)
    groupInfo = pair.first
    groupMember = pair.second
  }

  /// Writes the list.
  public func encode(to json: inout JSONWriter) {
    JSONPair(groupInfo, groupMember).encode(to: &json)
  }
}
