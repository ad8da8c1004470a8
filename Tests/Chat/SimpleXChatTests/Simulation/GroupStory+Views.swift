import SimplexJSON

// What the people of a story see.

extension GroupStory {
  /// A member as somebody sees it.
  struct Member {
    var name: String
    var id: Int64
    var fullName: String
    var role: String
    var status: String
    var isBlocked: Bool
    /// The contact that the member is, too.
    var contact: Int64?

    var isPending: Bool { status.hasPrefix("pending") }
    var isCurrent: Bool {
      !isPending && !["removed", "left", "deleted", "rejected", "unknown", "invited"].contains(status)
    }
    var moderates: Bool { ["moderator", "admin", "owner"].contains(role) }
  }

  /// A person's group.
  struct Place {
    var group: Int64
    var fullName: String
    var role: String
    var status: String
    /// The other members, those that are gone too.
    var members: [Member]

    var isPending: Bool { status.hasPrefix("pending") }
    var moderates: Bool { ["moderator", "admin", "owner"].contains(role) }
    var others: [Member] { members.filter(\.isCurrent) }

    /// A member who is there, or waits to be admitted.
    func member(_ name: String) -> Member? { members.last { $0.name == name && ($0.isCurrent || $0.isPending) } }
  }

  /// A message as somebody sees it.
  struct Message: Hashable, Comparable {
    var id: Int64
    /// The identifier that all have in common.
    var sharedId: String
    var author: String
    var text: String
    var isEdited: Bool
    var isDeleted: Bool
    var isReport: Bool
    var reactions: String
    /// Who is mentioned, the quoted text, the time to live, and whether it is still being written.
    var details: String

    /// What tells messages apart: their text's first two words.
    var key: String { text.split(separator: " ").prefix(2).joined(separator: " ") }
    var shown: String { "\(author): \(text)\(isEdited ? " (edited)" : "") \(reactions)\(details)" }

    static func < (left: Message, right: Message) -> Bool { left.shown < right.shown }
  }

  /// The group of a person that it is in or waits to be admitted to; nil for none.
  func place(_ name: String) async throws -> Place? {
    let groups = try await answer(name, "/_groups 1")["groups"]?.arrayValue ?? []
    for info in groups {
      let group = info["groupInfo"] ?? info
      let membership = group["membership"]
      let status = membership?["memberStatus"]?.stringValue ?? ""
      guard let id = group["groupId"]?.integerValue, !["removed", "left", "deleted", "rejected"].contains(status) else {
        continue
      }
      let list = try await answer(name, "/_members #\(id)")["group"]?["members"]?.arrayValue ?? []
      let members = list.map { member in
        Member(
          name: member["memberProfile"]?["displayName"]?.stringValue ?? "",
          id: member["groupMemberId"]?.integerValue ?? 0,
          fullName: member["memberProfile"]?["fullName"]?.stringValue ?? "",
          role: member["memberRole"]?.stringValue ?? "", status: member["memberStatus"]?.stringValue ?? "",
          isBlocked: member["blockedByAdmin"] == true, contact: member["memberContactId"]?.integerValue)
      }
      return Place(
        group: id, fullName: membership?["memberProfile"]?["fullName"]?.stringValue ?? "",
        role: membership?["memberRole"]?.stringValue ?? "", status: status,
        members: members.sorted { $0.id < $1.id })
    }
    return nil
  }

  /// The messages in a part of a person's group.
  func messages(_ name: String, _ group: Int64, _ scope: String = "") async throws -> [Message] {
    let chat = try await answer(name, "/_get chat #\(group)\(scope) count=2000")
    var found: [Message] = []
    for item in chat["chat"]?["chatItems"]?.arrayValue ?? [] {
      let kind = item["content"]?["type"]?.stringValue ?? ""
      if ["rcvIntegrityError", "rcvDecryptionError", "rcvMsgError"].contains(kind) {
        throw Problem(description: "\(name) shows \(item.jsonText())")
      }
      guard kind == "sndMsgContent" || kind == "rcvMsgContent" else { continue }
      let author = item["chatDir"]?["groupMember"]?["memberProfile"]?["displayName"]?.stringValue ?? name
      let text = item["content"]?["msgContent"]?["text"]?.stringValue ?? ""
      guard text.hasPrefix("\(author) ") else {
        throw Problem(description: "\(name) shows \"\(text)\" as written by \(author)")
      }
      let reactions = (item["reactions"]?.arrayValue ?? []).map {
        "\($0["reaction"]?["emoji"]?.stringValue ?? "")\($0["totalReacted"]?.integerValue ?? 0)"
      }
      found.append(
        Message(
          id: item["meta"]?["itemId"]?.integerValue ?? 0,
          sharedId: item["meta"]?["itemSharedMsgId"]?.stringValue ?? "", author: author, text: text,
          isEdited: item["meta"]?["itemEdited"] == true,
          isDeleted: item["meta"]?["itemDeleted"] != nil,
          isReport: item["content"]?["msgContent"]?["type"]?.stringValue == "report",
          reactions: reactions.sorted().joined(), details: Self.details(of: item)))
    }
    return found
  }

  private static func details(of item: JSONValue) -> String {
    var details: [String] = []
    if let mentions = item["mentions"]?.members, !mentions.isEmpty {
      let named = mentions.map { "\($0.key)=\($0.value["memberId"]?.stringValue ?? "")" }
      details.append("mentions \(named.sorted().joined(separator: " "))")
    }
    if let quote = item["quotedItem"]?["content"]?["text"]?.stringValue { details.append("quotes \(quote)") }
    if let ttl = item["meta"]?["itemTimed"]?["ttl"]?.integerValue { details.append("ttl \(ttl)") }
    if item["meta"]?["itemLive"] == true { details.append("live") }
    return details.map { " [\($0)]" }.joined()
  }

  /// The names of the parts of a person's group, and how its commands name them.
  func scopes(_ name: String, _ place: Place) -> [(title: String, scope: String)] {
    var scopes: [(title: String, scope: String)] = [("main", ""), (name, "(_support)")]
    if place.moderates {
      scopes += place.members.filter { $0.isCurrent || $0.isPending }.map {
        (title: $0.name, scope: "(_support:\($0.id))")
      }
    }
    return scopes
  }

  // MARK: How it has to be

  /// Checks that nothing is shown twice or came back, and notes what is gone.
  private func checkOnce(_ name: String, _ messages: [Message], in part: String) throws {
    var keys: Set<String> = []
    for message in messages where !keys.insert(message.key).inserted {
      throw Problem(description: "\(name) shows \"\(message.key)\" twice in \(part): \(messages.map(\.shown))")
    }
    let live = Set(messages.filter { !$0.isDeleted }.map(\.key))
    let back = live.filter { gone[name, default: []].contains("\(part)/\($0)") }
    guard back.isEmpty else { throw Problem(description: "\(name) sees deleted messages again: \(back.sorted())") }
    let prefix = "\(part)/"
    let missing = seen[name, default: []].filter {
      $0.hasPrefix(prefix) && !live.contains(String($0.dropFirst(prefix.count)))
    }
    gone[name, default: []].formUnion(missing)
    gone[name, default: []].formUnion(messages.filter(\.isDeleted).map { prefix + $0.key })
    seen[name, default: []].formUnion(live.map { prefix + $0 })
  }

  /// Compares what all members see.
  /// - Parameter messages: whether the messages of the last round have to be the same.
  func converge(_ when: String, messages isComplete: Bool) async throws {
    note("compare \(when)")
    var difference = ""
    do {
      try await eventually("the same views, \(when)", within: .seconds(8)) {
        difference = try await self.difference(isComplete)
        return difference.isEmpty
      }
    } catch {
      throw Problem(description: "\(error)\n\(difference)")
    }
    for name in Self.names { try await checkOnce(name) }
    try await checkDirect()
    roundStart = said
  }

  /// Checks that a person sees nothing twice, and nothing that was deleted before.
  func checkOnce(_ name: String) async throws {
    guard let place = try await place(name) else { return }
    for (title, scope) in scopes(name, place) {
      try checkOnce(name, try await messages(name, place.group, scope), in: title)
    }
  }

  private func difference(_ isComplete: Bool) async throws -> String {
    var members: [String: String] = [:]
    var parts: [String: [String: [Message]]] = [:]
    var places: [String: Place] = [:]
    for name in Self.names { places[name] = try await place(name) }
    for (name, place) in places {
      let own = place.isPending ? [] : ["\(name) \(place.fullName) \(place.role) \(blocked(name, places))"]
      if !place.isPending {
        members[name] = (own + place.others.map { "\($0.name) \($0.fullName) \($0.role) \($0.isBlocked)" }).sorted()
          .joined(separator: ", ")
      }
      let parted = scopes(name, place).filter { !place.isPending || $0.title == name }
      for (title, scope) in parted where isComplete {
        parts[title, default: [:]][name] = try await messages(name, place.group, scope).filter {
          // Nobody else sees what a blocked member writes, and reports end with the message that they are about.
          isNew($0) && !$0.isReport && !blocked($0.author, places)
        }
      }
    }
    if Set(members.values).count > 1 { return "members: \(members)" }
    for (title, views) in parts {
      let live = views.mapValues { $0.filter { !$0.isDeleted }.sorted().map(\.shown) }
      if Set(live.values).count > 1 {
        return "\(title):\n" + live.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: "\n")
      }
    }
    return ""
  }

  /// Whether others see a person as blocked, which the person does not know.
  private func blocked(_ name: String, _ places: [String: Place]) -> Bool {
    places["alice"]?.member(name)?.isBlocked ?? false
  }

  /// Whether a message was written since the views were compared.
  func isNew(_ message: Message) -> Bool {
    let number = message.text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return number > roundStart[message.author, default: 0]
  }

  /// The counters of a person's chats are those of its items and members.
  func checkCounters(_ name: String) async throws {
    let wrong = [
      """
      SELECT c.chat_id FROM chats c WHERE c.kind < 9 AND (c.unread_count, c.unread_mentions, c.member_attention) <> \
      (SELECT count(*), coalesce(sum(user_mention), 0), coalesce(sum(awaits_answer), 0) FROM items i \
      WHERE i.chat_id = c.chat_id AND i.status = 10)
      """,
      """
      SELECT g.group_id FROM groups g WHERE g.current_members <> \
      (SELECT count(*) FROM members m WHERE m.group_id = g.group_id AND m.is_current = 1)
      """,
      // What waits for a member who is gone waits for ever.
      "SELECT p.member_id FROM pending_messages p LEFT JOIN members m USING (member_id) WHERE m.member_id IS NULL",
      // Support chats of members who are not there.
      """
      SELECT c.chat_id FROM chats c WHERE c.kind = 1 AND c.scope > 0 \
      AND NOT EXISTS (SELECT 1 FROM members m WHERE m.member_id = c.scope)
      """,
    ]
    for query in wrong {
      let rows = try await answer(name, "/sql chat \(query)")["rows"]?.arrayValue
      guard rows == [] else {
        throw Problem(description: "\(name): \(query): \(rows.map { $0.map { $0.jsonText() } } ?? [])")
      }
    }
  }
}
