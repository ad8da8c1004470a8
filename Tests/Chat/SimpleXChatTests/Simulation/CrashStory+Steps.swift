import Foundation

// What two people do in the story in which their programs crash.

extension CrashStory {
  /// Everything.
  func play() async throws {
    for name in names { _ = try await core(name) }
    try await connectByInvitation()
    try await talk()
    try await shareFile()
    try await change()
    try await part()
    try await connectByAddress()
    try await connectAutomatically()
    try await joinWithMessage()
    try await addUser()
  }

  private func contact(_ name: String) async throws -> String {
    try await value(name, "SELECT contact_id FROM contacts WHERE status = 'active' AND is_user = 0")
  }

  private func item(_ name: String, _ text: String) async throws -> String {
    try await value(name, "SELECT item_id FROM items WHERE text = '\(text)'")
  }

  private func waitUntilConnected() async throws {
    for name in names {
      try await wait(
        name,
        for: """
          SELECT 1 FROM contacts c JOIN connections n USING (connection_id) \
          WHERE c.status = 'active' AND n.status = 'ready'
          """)
    }
  }

  /// Says something, which is received.
  private func say(_ name: String, _ text: String, to other: String) async throws {
    try await step(name, until: "SELECT 1 FROM items WHERE text = '\(text)'") {
      "/_send @\(try await contact(name)) text \(text)"
    }
    try await waitForReceipt(name, text, other)
  }

  func waitForReceipt(_ name: String, _ text: String, _ other: String) async throws {
    try await wait(other, for: "SELECT 1 FROM items WHERE text = '\(text)' AND sent = 0")
    // 4: received
    try await wait(name, for: "SELECT 1 FROM items WHERE text = '\(text)' AND status = 4")
  }

  // MARK: Parts

  private func connectByInvitation() async throws {
    let invitations = "SELECT invitation_link FROM connections WHERE invitation_link IS NOT NULL"
    try await step("alice", until: invitations) { "/_connect 1" }
    let full = try await value("alice", invitations)
    let short = try await value("alice", "SELECT invitation_short_link FROM connections")
    // Connecting removes the link from the row, maybe before this step looks.
    try await step(
      "bob", until: "\(invitations) AND status <> 'prepared' UNION SELECT 1 FROM contacts WHERE is_user = 0"
    ) {
      "/_connect 1 \(full) \(short)"
    }
    try await waitUntilConnected()
  }

  private func talk() async throws {
    try await say("alice", "one", to: "bob")
    try await say("bob", "two", to: "alice")
    try await step("alice", until: "SELECT 1 FROM items WHERE text = 'five'") {
      let messages = ["three", "four", "five"].map { #"{"msgContent":{"type":"text","text":"\#($0)"}}"# }
      return "/_send @\(try await contact("alice")) json [\(messages.joined(separator: ","))]"
    }
    for text in ["three", "four", "five"] { try await waitForReceipt("alice", text, "bob") }
    try await step("bob", until: "SELECT 1 FROM items WHERE text = 'six'") {
      let quoted = try await item("bob", "one")
      let message = #"{"quotedItemId":\#(quoted),"msgContent":{"type":"text","text":"six"}}"#
      return "/_send @\(try await contact("bob")) json [\(message)]"
    }
    try await waitForReceipt("bob", "six", "alice")
    try await step("alice", until: "SELECT 1 FROM items WHERE text = 'one, edited'") {
      "/_update item @\(try await contact("alice")) \(try await item("alice", "one")) text one, edited"
    }
    try await wait("bob", for: "SELECT 1 FROM items WHERE text = 'one, edited'")
    try await step("bob", until: "SELECT 1 FROM reactions WHERE sent = 1") {
      let edited = try await item("bob", "one, edited")
      return #"/_reaction @\#(try await contact("bob")) \#(edited) on {"type":"emoji","emoji":"👍"}"#
    }
    try await wait("alice", for: "SELECT 1 FROM reactions WHERE sent = 0")
    try await step(
      "alice", until: "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM items WHERE text = 'four' AND deleted = 0)"
    ) {
      "/_delete item @\(try await contact("alice")) \(try await item("alice", "four")) broadcast"
    }
    try await wait("bob", for: "SELECT 1 FROM items WHERE text = 'four' AND deleted <> 0")
  }

  /// Sends a file, which is received whole.
  private func shareFile() async throws {
    let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let path = try makeFile("shared.bin", content)
    let folder = try makeFolder("received")
    try await step("alice", until: "SELECT 1 FROM files WHERE sent = 1") {
      let message = #"{"fileSource":{"filePath":"\#(path)"},"msgContent":{"type":"file","text":"a file"}}"#
      return "/_send @\(try await contact("alice")) json [\(message)]"
    }
    try await wait("bob", for: "SELECT 1 FROM files WHERE sent = 0")
    try await step("bob", until: "SELECT 1 FROM files WHERE step <> 'new'") {
      "/freceive \(try await value("bob", "SELECT file_id FROM files")) \(folder)"
    }
    try await wait("bob", for: "SELECT 1 FROM files WHERE step = 'complete'")
    try await wait("alice", for: "SELECT 1 FROM files WHERE status LIKE '%sndComplete%'")
    let received = try await value("bob", "SELECT path FROM files")
    guard try Data(contentsOf: URL(filePath: received)) == Data(content) else {
      throw Problem(description: "the received file differs")
    }
  }

  private func change() async throws {
    try await step(
      "alice", until: "SELECT 1 FROM contacts WHERE user_preferences LIKE '%\"voice\":{\"allow\":\"no\"}%'"
    ) {
      #"/_set prefs @\#(try await contact("alice")) {"fullDelete":{"allow":"yes"},"voice":{"allow":"no"}}"#
    }
    try await wait(
      "bob",
      for:
        "SELECT 1 FROM contacts JOIN profiles USING (profile_id) WHERE is_user = 0 AND preferences LIKE '%\"voice\":{\"allow\":\"no\"}%'"
    )
    let isRobert = "SELECT 1 FROM profiles WHERE full_name = 'Robert'"
    try await step("bob", until: isRobert) { #"/_profile 1 {"displayName":"bob","fullName":"Robert"}"# }
    try await wait("alice", for: isRobert)
  }

  private func part() async throws {
    try await step("bob", until: "SELECT 1 FROM contacts WHERE status = 'deletedByUser'") {
      "/_delete @\(try await contact("bob")) entity notify=on"
    }
    try await wait("alice", for: "SELECT 1 FROM contacts WHERE status = 'deleted'")
  }

  private func connectByAddress() async throws {
    try await step("alice", until: "SELECT 1 FROM addresses") { "/_address 1" }
    let full = try await value("alice", "SELECT full_link FROM addresses")
    let short = try await value("alice", "SELECT short_link FROM addresses")
    let asked = "SELECT 1 FROM connections WHERE via_link IS NOT NULL"
    try await step("bob", until: "\(asked) AND status <> 'prepared'") {
      // Asking again once the request is sent would make another one.
      try await rows("bob", asked).isEmpty ? "/_connect 1 \(full) \(short)" : nil
    }
    let requests = "SELECT request_id FROM contact_requests"
    try await wait("alice", for: requests)
    try await step(
      "alice",
      until: """
        SELECT 1 FROM contacts c JOIN connections n USING (connection_id) \
        WHERE c.status = 'active' AND n.status <> 'new'
        """
    ) { "/_accept \(try await value("alice", requests))" }
    try await waitUntilConnected()
    try await say("bob", "seven", to: "alice")
    let isGone = "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM contacts WHERE status = 'active' AND is_user = 0)"
    try await step("alice", until: isGone) { "/_delete @\(try await contact("alice")) full notify=on" }
    // Its items are purged later; the next start does so too.
    try await wait("alice", for: "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM items WHERE text = 'seven')")
    try await wait("bob", for: "SELECT 1 FROM contacts WHERE status = 'deleted'")
  }

  /// By another address, which accepts automatically.
  private func connectAutomatically() async throws {
    let old = try await value("alice", "SELECT full_link FROM addresses")
    try await step("alice", until: "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM addresses WHERE full_link = '\(old)')") {
      "/_delete_address 1"
    }
    try await step("alice", until: "SELECT 1 FROM addresses") { "/_address 1" }
    try await step("alice", until: "SELECT 1 FROM addresses WHERE auto_accept = 1 AND auto_reply IS NOT NULL") {
      #"/_address_settings 1 {"businessAddress":false,"autoAccept":{"acceptIncognito":false},"#
        + #""autoReply":{"type":"text","text":"welcome"}}"#
    }
    let full = try await value("alice", "SELECT full_link FROM addresses")
    let short = try await value("alice", "SELECT short_link FROM addresses")
    try await step("bob", until: "SELECT 1 FROM contacts WHERE full_link IS NOT NULL") {
      #"/_prepare contact 1 \#(full) \#(short) {"profile":{"displayName":"alice","fullName":""},"#
        + #""message":{"type":"text","text":"welcome"}}"#
    }
    try await step("bob", until: "SELECT 1 FROM items WHERE text = 'eight'") {
      "/_connect contact @\(try await contact("bob")) text eight"
    }
    try await waitUntilConnected()
    try await wait("alice", for: "SELECT 1 FROM items WHERE text = 'eight'")
    try await say("bob", "nine", to: "alice")
    try await say("alice", "ten", to: "bob")
  }

  /// By another invitation, which is prepared as a contact and joined with a message.
  private func joinWithMessage() async throws {
    let invitations = "SELECT invitation_link FROM connections WHERE status = 'new' AND invitation_link IS NOT NULL"
    try await step("alice", until: invitations) { "/_connect 1" }
    let full = try await value("alice", invitations)
    let prepared = "SELECT contact_id FROM contacts WHERE full_link = '\(full)'"
    try await step("bob", until: prepared) {
      #"/_prepare contact 1 \#(full) {"profile":{"displayName":"alice","fullName":""}}"#
    }
    let id = try await value("bob", prepared)
    try await step("bob", until: "SELECT 1 FROM items WHERE text = 'eleven'") { "/_connect contact @\(id) text eleven" }
    try await waitForReceipt("bob", "eleven", "alice")
    // The message may come before or after alice is connected, and the order of her items is not compared.
    for name in names {
      let contacts = "SELECT max(contact_id) FROM contacts WHERE status = 'active' AND is_user = 0 HAVING count(*) = 2"
      try await step(name, until: "SELECT 1 WHERE NOT EXISTS (\(contacts))") {
        "/_delete @\(try await value(name, contacts)) full notify=off"
      }
      try await wait(name, for: "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM items WHERE text = 'eleven')")
    }
  }

  private func addUser() async throws {
    try await step("alice", until: "SELECT 1 FROM users WHERE local_display_name = 'work'") {
      #"/_create user {"profile":{"displayName":"work","fullName":""},"pastTimestamp":false}"#
    }
    try await step("alice", until: "SELECT 1 FROM users WHERE local_display_name = 'alice' AND active = 1") {
      "/_user 1"
    }
  }
}
