import AgentCore
import AgentProtocol
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import SimplexCrypto
import SimplexJSON

// Links by which anyone can join a group.

extension ChatController {
  func performGroupLinks(_ command: ChatCommand) async throws(ChatError) -> ChatResponse? {
    switch command {
    case .apiCreateGroupLink(let id, let role): return try await createLink(ofGroup: id, role)
    case .apiGroupLinkMemberRole(let id, let role):
      let user = try runningUser()
      return try turn { turn in
        let group = try turn.rows.group(id, of: user)
        var link = try turn.rows.groupLink(of: group)
        try group.require(.admin)
        guard role <= .member else { throw ChatErrorType.groupMemberInitialRole(groupInfo: group, initialRole: role) }
        if link.acceptMemberRole != role { link = try turn.rows.setRole(role, ofLinkOf: group) }
        return .response2(.groupLink(user: user, groupInfo: group, groupLink: link))
      }
    case .apiDeleteGroupLink(let id):
      let user = try runningUser()
      return try turn { turn in
        let group = try turn.rows.group(id, of: user)
        _ = try turn.rows.groupLink(of: group)
        try turn.deleteLink(of: group)
        return .response2(.groupLinkDeleted(user: user, groupInfo: group))
      }
    case .apiGetGroupLink(let id):
      let user = try currentUser()
      let (group, link) = try store.read { transaction in
        let group = try transaction.group(id, of: user)
        return (group, try transaction.groupLink(of: group))
      }
      return .response2(.groupLink(user: user, groupInfo: group, groupLink: link))
    case .apiAddGroupShortLink(let id):
      let user = try runningUser()
      let group = try store.read { try $0.group(id, of: user) }
      return .response2(.groupLink(user: user, groupInfo: group, groupLink: try await publishLink(of: group, user)))
    default: return nil
    }
  }

  private func createLink(ofGroup id: Int64, _ role: GroupMemberRole) async throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    let group = try store.read { try $0.group(id, of: user) }
    do throws(ChatErrorType) { try group.require(.admin) } catch { throw .error(errorType: error) }
    guard role <= .member else { throw .error(errorType: .groupMemberInitialRole(groupInfo: group, initialRole: role)) }
    if try store.read({ try $0.groupLinkIfPresent(of: group) }) != nil {
      throw .errorStore(storeError: .duplicateGroupLink(groupInfo: group))
    }
    var random = SystemRandom()
    let linkId = GroupLinkId(random.bytes(16))
    return try await createConnection(
      of: user, mode: .contact, linkData(of: group.groupProfile), clientData: GroupLinkClientData(linkId).jsonText(),
      type: .group
    ) { turn, connection, link in
      // All may have changed while the relay was asked: an error here deletes the connection.
      let user = try turn.rows.user(user.userId)
      let current = try turn.rows.group(id, of: user)
      try current.require(.admin)
      let created = try turn.rows.createGroupLink(
        link, linkId: linkId.text, role: role, agentConnId: connection.text, of: current, for: user)
      if current.groupProfile != group.groupProfile { try turn.updateLinkData(of: current) }
      return .response2(.groupLinkCreated(user: user, groupInfo: current, groupLink: created))
    }
  }

  /// The data of a short link of a group.
  private func linkData(of profile: GroupProfile) -> UserLinkData {
    options.linkData(
      ofContent: ShortLinkContent.encode(GroupShortLinkData(groupProfile: profile)), mode: .contact)
  }

  /// Stores on the relay what the link of a group shows.
  func publishLink(of group: GroupInfo, _ user: User) async throws(ChatError) -> GroupLink {
    let (link, agentConnId) = try store.read { transaction in
      let link = try transaction.groupLink(of: group)
      return (link, try transaction.connection(ofGroupLink: link))
    }
    let connection = try ConnectionID(agentText: agentConnId)
    let data = linkData(of: group.groupProfile)
    var short = try await withAgent { (agent) throws(AgentError) in try await agent.setLinkData(connection, data) }
    short.kind = .contact(.group)
    let text = short.text(presets: linkServers)
    return try turn { turn in
      // All may have changed while the relay was asked.
      let user = try turn.rows.user(user.userId)
      let current = try turn.rows.group(group.groupId, of: user)
      guard try turn.rows.groupLink(of: current).userContactLinkId == link.userContactLinkId else {
        throw StoreError.groupLinkNotFound(groupInfo: current)
      }
      try turn.rows.setShortLink(text, ofAddress: link.userContactLinkId)
      if current.groupProfile != group.groupProfile { try turn.updateLinkData(of: current) }
      return try turn.rows.groupLink(of: current)
    }
  }
}

extension Turn {
  /// Updates what the short link of a group shows, if the user made one.
  func updateLinkData(of group: GroupInfo) throws {
    guard let link = try rows.groupLinkIfPresent(of: group), link.connLinkContact.connShortLink != nil else { return }
    try command(
      .setLinkData(ShortLinkContent.encode(GroupShortLinkData(groupProfile: group.groupProfile))),
      for: try rows.connection(ofGroupLink: link))
  }
}

/// What the full link of a group has for the programs that join by it.
struct GroupLinkClientData: JSONCodable, Hashable, Sendable {
  /// Names the link.
  var groupLinkId: GroupLinkId

  init(_ id: GroupLinkId) { groupLinkId = id }

  init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    // Links of present programs have no type.
    if let type = try fields.get("type", as: String?.self), type != "group" { throw JSONError(.unknownCase(type)) }
    groupLinkId = try fields.get("groupLinkId")
  }

  func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("type", "group")
    json.field("groupLinkId", groupLinkId)
    json.endObject()
  }
}

extension ConnectionRequest {
  /// The identifier of the group's link; nil for other links.
  var groupLinkId: GroupLinkId? {
    clientData.flatMap { try? GroupLinkClientData(jsonText: $0) }?.groupLinkId
  }
}
