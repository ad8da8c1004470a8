import ChatAPI
import SQLiteKit
import SimplexJSON
import WireCodec

extension ChatImport {
  /// The groups that are taken: all but public groups, whose relays we cannot talk to.
  static func takenGroups(_ source: SourceDatabase) throws(ProfileImportError) -> String {
    try source.has("groups", "use_relays") ? "use_relays = 0 AND relay_own_status IS NULL" : "1"
  }

  /// Groups with their profiles, and their chats.
  mutating func importGroups() throws(ProfileImportError) {
    let rows = try source.rows(
      "groups", where: try Self.takenGroups(source), key: "group_id", secrets: ["root_priv_key", "member_priv_key"])
    for row in rows {
      let isTaken = try writeUnlessDamaged(.damagedChats) { (chat) throws(ProfileImportError) in
        try chat.importGroupAndMembers(row)
      }
      if !isTaken { try forgetGroup(row) }
    }
  }

  /// What belongs to a group that was left is left as well.
  private mutating func forgetGroup(_ row: SourceRow) throws(ProfileImportError) {
    guard case .integer(let id) = row["group_id"] else { return }
    chats[.group(id)] = nil
    ownNames[id] = nil
    for member in try source.rows(
      "group_members", columns: ["group_member_id"], where: "group_id = ?", [.integer(id)], key: "group_member_id")
    {
      guard case .integer(let number) = member["group_member_id"] else { continue }
      memberNames[number] = nil
      chats[.support(group: id, member: number)] = nil
    }
    chats[.support(group: id, member: -1)] = nil
  }

  private mutating func importGroupAndMembers(_ row: SourceRow) throws(ProfileImportError) {
    let id = try row.integer("group_id")
    let members = try source.rows("group_members", where: "group_id = ?", [.integer(id)], key: "group_member_id")
    var own: SourceRow?
    var host: Int64?
    for member in members {
      let category = try member.text("member_category")
      if category == "user" { own = member }
      if category == "host", host == nil { host = try member.integer("group_member_id") }
    }
    guard let membership = own else { throw row.unusable("group_id", "the user is not a member") }
    memberIndexes = [:]
    for (place, member) in members.enumerated() {
      memberIndexes[try member.integer("group_member_id")] = try index(member, place: place)
    }
    try importGroup(
      row, membership: try membership.integer("group_member_id"), host: host,
      nextIndex: try self.nextIndex(row, memberCount: members.count))
    chats[.group(id)] = try importChat(of: row, kind: 1, entity: id, isListed: true)
    for member in members { try importMember(member, ownName: try membership.identifier("member_id") ?? "") }
    try importCustomerRequest(row)
    report.take(.groups)
  }

  /// What identifies the request of a business's customer, which ours keep with the member: who repeats it gets no
  /// second chat.
  private func importCustomerRequest(_ row: SourceRow) throws(ProfileImportError) {
    guard let request = try row.identifier("business_xcontact_id"),
      let customer = try row.identifier("customer_member_id")
    else { return }
    let group = try row.integer("group_id")
    try writing { (target) throws(SQLFailure) in
      try target.execute(
        """
        UPDATE members SET join_xcontact_id = coalesce(join_xcontact_id, ?3) WHERE group_id = ?1 \
        AND shared_member_id = ?2
        """, group, customer, request)
    }
  }

  private func importGroup(
    _ row: SourceRow, membership: Int64, host: Int64?, nextIndex: Int64
  ) throws(ProfileImportError) {
    let profiles = try source.rows(
      "group_profiles", where: "group_profile_id = ?", [row["group_profile_id"]], key: "group_profile_id")
    guard let profile = profiles.first else { throw row.unusable("group_profile_id", "the group has no profile") }
    try insert(
      into: "groups",
      [
        "group_id": .integer(try row.integer("group_id")), "user_id": .integer(try row.integer("user_id")),
        "local_display_name": .text(try row.text("local_display_name")),
        "display_name": .text(try profile.text("display_name")), "full_name": .text(try profile.text("full_name")),
        "short_descr": .optional(try profile.optionalText("short_descr")),
        "description": .optional(try profile.optionalText("description")),
        "preferences": .optional(try profile.json("preferences", as: GroupPreferences.self)),
        "admission": .optional(try profile.json("member_admission", as: GroupMemberAdmission.self)),
        "local_alias": .text(try row.optionalText("local_alias") ?? ""), "business": .optional(try business(row)),
        "membership_id": .integer(membership), "host_member_id": .optional(host),
        "next_index": .integer(nextIndex),
        "invitation": .optional(try row.optionalText("inv_queue_info")),
        "invitation_item_id": .optional(try row.optionalInteger("chat_item_id")),
        "via_link": .optional(try row.optionalText("via_group_link_uri")),
        "full_link": .optional(try row.optionalText("conn_full_link_to_connect")),
        "short_link": .optional(try row.optionalText("conn_short_link_to_connect")),
        "link_prepared": .bool(try row.bool("conn_link_prepared_connection")),
        "link_started": .bool(try row.bool("conn_link_started_connection")),
        "welcome_shared_id": .optional(try row.identifier("welcome_shared_msg_id")),
        "request_shared_id": .optional(try row.identifier("request_shared_msg_id")),
        "profile_sent_at": .optional(try row.optionalTime("user_member_profile_sent_at")),
        "created_at": .integer(try row.time("created_at")), "updated_at": .integer(try row.time("updated_at")),
        "image": .optional(try profile.optionalText("image")),
      ])
  }

  /// The largest number of members that there is a place for in the relations of others.
  private static let indexCount: Int64 = 1 << 20

  /// The index of the member that is added next; older schemas count none.
  private func nextIndex(_ row: SourceRow, memberCount: Int) throws(ProfileImportError) -> Int64 {
    let index = try row.optionalInteger("member_index") ?? Int64(memberCount)
    guard index >= 0, index <= Self.indexCount else { throw row.unusable("member_index", "it is out of range") }
    return index
  }

  private func business(_ row: SourceRow) throws(ProfileImportError) -> String? {
    guard let text = try row.optionalText("business_chat"), let type = BusinessChatType(rawValue: text),
      let business = try row.identifier("business_member_id"), let customer = try row.identifier("customer_member_id")
    else { return nil }
    return BusinessChatInfo(chatType: type, businessId: business, customerId: customer).jsonText()
  }

  // MARK: Members

  private mutating func importMember(_ row: SourceRow, ownName: String) throws(ProfileImportError) {
    let id = try row.integer("group_member_id")
    let group = try row.integer("group_id")
    guard let status = GroupMemberStatus(rawValue: try row.text("member_status")) else {
      throw row.unusable("member_status", "it is not known")
    }
    guard let category = GroupMemberCategory(rawValue: try row.text("member_category")) else {
      throw row.unusable("member_category", "it is not known")
    }
    let profile = try row.integer("contact_profile_id")
    let (inviter, contact) = try inviter(row)
    let relations = try relations(row)
    try insert(
      into: "members",
      [
        "member_id": .integer(id), "group_id": .integer(group), "user_id": .integer(try row.integer("user_id")),
        "index_in_group": .integer(memberIndexes[id] ?? 0),
        "shared_member_id": .optional(try row.identifier("member_id")), "role": .text(try row.text("member_role")),
        "category": .text(category.rawValue), "status": .text(status.rawValue), "is_current": .bool(status.isCurrent),
        "show_messages": .bool(try row.bool("show_messages")),
        "blocked_by_admin": .bool(try row.optionalText("member_restriction") == "blocked"),
        "invited_by": .integer(inviter), "invited_by_contact": .optional(contact),
        "invited_by_member": .optional(try row.optionalInteger("invited_by_group_member_id")),
        "local_display_name": .text(try row.text("local_display_name")),
        "profile_id": .integer(try row.optionalInteger("member_profile_id") ?? profile),
        "contact_profile_id": .integer(profile), "contact_id": .optional(try row.optionalInteger("contact_id")),
        "connection_id": .optional(try connection(where: "member_id", id)),
        "min_version": .integer(try row.integer("peer_chat_min_version")),
        "max_version": .integer(try row.integer("peer_chat_max_version")),
        "public_key": .optional(try row.identifier("member_pub_key")),
        "invitation": .optional(try row.optionalText("sent_inv_queue_info")), "relations": .blob(relations),
        "host_profile_received": .bool(try row.bool("xgrplinkmem_received")),
        "join_xcontact_id": .optional(try row.identifier("member_xcontact_id")),
        "join_welcome_id": .optional(try row.identifier("member_welcome_shared_msg_id")),
        "removed_at": .optional(try row.optionalTime("removed_at")),
        "created_at": .integer(try row.time("created_at")), "updated_at": .integer(try row.time("updated_at")),
      ])
    memberNames[id] = try row.identifier("member_id")
    if category == .userMember { ownNames[group] = ownName }
    if try row.optionalTime("support_chat_ts") != nil {
      try importSupportChat(row, scope: category == .userMember ? -1 : id)
    }
    report.take(.members)
  }

  /// The position in the relations of other members; older schemas have none, and members stand in order.
  private func index(_ row: SourceRow, place: Int) throws(ProfileImportError) -> Int64 {
    let index = try row.optionalInteger("index_in_group") ?? Int64(place)
    guard index >= 0, index < Self.indexCount else { throw row.unusable("index_in_group", "it is out of range") }
    return index
  }

  /// The relations with other members; see `MemberRelation`.
  private func relations(_ row: SourceRow) throws(ProfileImportError) -> [UInt8] {
    if let vector = try row.optionalBytes("member_relations_vector") {
      // The upper bits say who of two members was introduced to the other.
      return vector.map { byte -> UInt8 in byte & 7 > 4 ? 0 : byte & 7 }
    }
    // Before version 6.5, and until the app has converted a group, introductions have a table.
    let id = try row.integer("group_member_id")
    var relations: [UInt8] = []
    let introductions = try source.rows(
      "group_member_intros", where: "re_group_member_id = ?1 OR to_group_member_id = ?1", [.integer(id)],
      key: "group_member_intro_id")
    for introduction in introductions {
      let isSubject = try introduction.integer("re_group_member_id") == id
      let other = try introduction.integer(isSubject ? "to_group_member_id" : "re_group_member_id")
      guard let index = memberIndexes[other] else { continue }
      let place = Int(index)
      if relations.count <= place { relations += [UInt8](repeating: 0, count: place + 1 - relations.count) }
      relations[place] =
        switch try introduction.text("intro_status") {
        case "con": 4
        case "re-con": isSubject ? 2 : 3
        case "to-con": isSubject ? 3 : 2
        default: 1
        }
    }
    return relations
  }

  /// Who invited a member: 0 unknown, 1 the user, 2 this contact.
  private func inviter(_ row: SourceRow) throws(ProfileImportError) -> (Int64, Int64?) {
    guard let contact = try row.optionalInteger("invited_by") else { return (0, nil) }
    return userContacts.contains(contact) ? (1, nil) : (2, contact)
  }

  /// The support chat of a member, or of the user (-1).
  private mutating func importSupportChat(_ row: SourceRow, scope: Int64) throws(ProfileImportError) {
    let group = try row.integer("group_id")
    chats[.support(group: group, member: scope)] = try insert(
      into: "chats",
      [
        "user_id": .integer(try row.integer("user_id")), "kind": .integer(1), "entity_id": .integer(group),
        "scope": .integer(scope), "ts": .integer(try row.time("support_chat_ts")),
        "last_member_ts": .optional(try row.optionalTime("support_chat_last_msg_from_member_ts")),
      ])
  }
}
