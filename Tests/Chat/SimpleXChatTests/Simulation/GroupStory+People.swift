import SimplexJSON

// What people do with each other in a story, beyond plain messages.

extension GroupStory {
  /// Somebody writes a message with more to it, changes their profile, or writes to a member directly.
  func doMore(_ name: String, _ place: Place) async throws {
    switch Int.random(in: 0..<8, using: &chance) {
    case 0..<2: try await mention(name, place)
    case 2: try await writeLive(name, place)
    case 3: try await send(name, place, options: " ttl=\(pick([3_600, 86_400]) ?? 3_600)")
    case 4: try await quote(name, place)
    case 5: try await changeProfile(name, place)
    default: try await writeDirectly(name, place)
    }
  }

  private func content(_ text: String, _ more: String = "") -> String {
    #"{"msgContent":{"type":"text","text":"\#(text)"},"mentions":{}\#(more)}"#
  }

  private func send(_ name: String, _ place: Place, options: String) async throws {
    let text = nextText(name)
    let answer = try await answer(name, "/_send #\(place.group)\(options) json [\(content(text))]")
    note("\(text)\(options): \(brief(answer))")
  }

  private func mention(_ name: String, _ place: Place) async throws {
    guard let other = pick(place.others) else { return }
    let text = "\(nextText(name)) says hello to @\(other.name)"
    let message = #"{"msgContent":{"type":"text","text":"\#(text)"},"mentions":{"\#(other.name)":\#(other.id)}}"#
    note("\(text): \(brief(try await answer(name, "/_send #\(place.group) json [\(message)]")))")
  }

  private func quote(_ name: String, _ place: Place) async throws {
    let messages = try await messages(name, place.group).filter { !$0.isDeleted && isNew($0) }
    guard let quoted = pick(messages) else { return }
    let text = nextText(name)
    let message = content(text, #","quotedItemId":\#(quoted.id)"#)
    let answer = try await answer(name, "/_send #\(place.group) json [\(message)]")
    note("\(text) to \(quoted.key): \(brief(answer))")
  }

  /// Somebody writes a message while the others watch, and whatever else may happen meanwhile.
  private func writeLive(_ name: String, _ place: Place) async throws {
    let text = nextText(name)
    let begun = try await answer(name, "/_send #\(place.group) live=on json [\(content("\(text) beg"))]")
    note("\(text) is being written: \(brief(begun))")
    guard let id = begun["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]?.integerValue else { return }
    for (more, isLive) in [("begun and", "on"), ("begun and finished", "off")] {
      try await pause()
      if Int.random(in: 0..<6, using: &chance) == 0 { cores[name] = try await world.restart(name) }
      let answer = try await answer(
        name, "/_update item #\(place.group) \(id) live=\(isLive) json \(content("\(text) \(more)"))")
      note("\(text) \(more): \(brief(answer))")
    }
  }

  /// Members get a new profile with the next message to the group.
  private func changeProfile(_ name: String, _ place: Place) async throws {
    guard !place.isPending else { return }
    let full = "\(name) the \(Int.random(in: 1...99, using: &chance))"
    note("\(name) is now \(full)")
    try await done(name, #"/_profile 1 {"displayName":"\#(name)","fullName":"\#(full)"}"#)
    try await say(name, place, "")
  }

  // MARK: Direct chats

  /// Somebody writes to a member directly; the first time, with an invitation.
  private func writeDirectly(_ name: String, _ place: Place) async throws {
    guard !place.isPending, let other = pick(place.others.filter { $0.status == "connected" }) else { return }
    let text = nextText(name)
    if let contact = other.contact {
      let answer = try await answer(name, "/_send @\(contact) json [\(content(text))]")
      if answer["type"]?.stringValue == "newChatItems" { direct[text] = other.name }
      return note("\(text) to \(other.name) directly: \(brief(answer))")
    }
    let made = try await answer(name, "/_create member contact #\(place.group) \(other.id)")
    guard let contact = made["contact"]?["contactId"]?.integerValue else {
      return note("\(name) makes no contact of \(other.name): \(brief(made))")
    }
    let answer = try await answer(name, "/_invite member contact @\(contact) text \(text)")
    note("\(name) invites \(other.name): \(brief(answer))")
  }

  /// Every direct message that was accepted is with the one it is for, and nothing is there twice.
  func checkDirect() async throws {
    for name in Self.names {
      let doubled = try await answer(
        name,
        """
        /sql chat SELECT i.text FROM items i JOIN chats c USING (chat_id) \
        WHERE c.kind = 0 AND i.message_tag IS NOT NULL GROUP BY i.text HAVING count(*) > 1
        """)
      guard doubled["rows"] == [] else { throw Problem(description: "\(name) has twice: \(doubled.jsonText())") }
    }
    for (text, name) in direct {
      try await eventually("\(name) has \"\(text)\"") {
        try await self.number(
          name, "chat",
          "SELECT count(*) FROM items i JOIN chats c USING (chat_id) WHERE c.kind = 0 AND i.text = '\(text)'") == 1
      }
    }
    direct = [:]
  }
}
