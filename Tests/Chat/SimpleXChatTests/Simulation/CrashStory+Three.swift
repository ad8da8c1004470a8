// What three people do, whose queues are at two relays, in the story in which one's program crashes.

extension CrashStory {
  /// Everything.
  func playAmongThree() async throws {
    for name in names { _ = try await core(name) }
    try await connectByInvitation("alice", "bob")
    try await connectByInvitation("bob", "cath")
    try await connectByAddress("cath", "alice")
    for (from, to) in [("alice", "bob"), ("bob", "cath"), ("cath", "alice"), ("alice", "cath"), ("cath", "bob")] {
      try await say(from, "\(from) to \(to)", to: to)
    }
    try await change()
    try await forward()
    try await part()
  }

  private func contact(_ name: String, _ other: String) async throws -> String {
    try await value(name, "SELECT contact_id FROM contacts WHERE status = 'active' AND local_display_name = '\(other)'")
  }

  private func waitUntilConnected(_ one: String, _ other: String) async throws {
    for (name, contact) in [(one, other), (other, one)] {
      try await wait(
        name,
        for: """
          SELECT 1 FROM contacts c JOIN connections n USING (connection_id) \
          WHERE c.status = 'active' AND n.status = 'ready' AND c.local_display_name = '\(contact)'
          """)
    }
  }

  private func connectByInvitation(_ name: String, _ other: String) async throws {
    let column = "FROM connections WHERE local_alias = 'for \(other)'"
    let unnamed = "FROM connections WHERE invitation_link IS NOT NULL AND status = 'new' AND contact_id IS NULL"
    try await step(name, until: "SELECT 1 \(unnamed)") { "/_connect 1" }
    let connection = try await value(name, "SELECT connection_id \(unnamed)")
    try await step(name, until: "SELECT 1 \(column)") { "/_set alias :\(connection) for \(other)" }
    let full = try await value(name, "SELECT invitation_link \(column)")
    let short = try await value(name, "SELECT invitation_short_link \(column)")
    // Connecting removes the link from the row, maybe before this step looks.
    try await step(
      other,
      until: """
        SELECT 1 FROM connections WHERE invitation_link = '\(full)' AND status <> 'prepared' \
        UNION SELECT 1 FROM contacts WHERE local_display_name = '\(name)'
        """
    ) { "/_connect 1 \(full) \(short)" }
    try await waitUntilConnected(name, other)
  }

  /// By an address that accepts automatically.
  private func connectByAddress(_ owner: String, _ other: String) async throws {
    try await step(owner, until: "SELECT 1 FROM addresses") { "/_address 1" }
    try await step(owner, until: "SELECT 1 FROM addresses WHERE auto_accept = 1") {
      #"/_address_settings 1 {"businessAddress":false,"autoAccept":{"acceptIncognito":false}}"#
    }
    let full = try await value(owner, "SELECT full_link FROM addresses")
    let short = try await value(owner, "SELECT short_link FROM addresses")
    try await step(other, until: "SELECT 1 FROM connections WHERE via_link IS NOT NULL AND status <> 'prepared'") {
      "/_connect 1 \(full) \(short)"
    }
    try await waitUntilConnected(owner, other)
  }

  private func say(_ name: String, _ text: String, to other: String) async throws {
    try await step(name, until: "SELECT 1 FROM items WHERE text = '\(text)'") {
      "/_send @\(try await contact(name, other)) text \(text)"
    }
    try await waitForReceipt(name, text, other)
  }

  /// Everybody learns of a new name; each contact has other preferences.
  private func change() async throws {
    let isRobert = "SELECT 1 FROM profiles WHERE full_name = 'Robert'"
    try await step("bob", until: isRobert) { #"/_profile 1 {"displayName":"bob","fullName":"Robert"}"# }
    for name in ["alice", "cath"] { try await wait(name, for: isRobert) }
    let isOff = "preferences LIKE '%\"voice\":{\"allow\":\"no\"}%'"
    try await step("cath", until: "SELECT 1 FROM contacts WHERE user_\(isOff)") {
      #"/_set prefs @\#(try await contact("cath", "alice")) {"voice":{"allow":"no"}}"#
    }
    try await wait("alice", for: "SELECT 1 FROM profiles WHERE display_name = 'cath' AND \(isOff)")
  }

  /// What one person says is forwarded to another.
  private func forward() async throws {
    try await say("alice", "pass it on", to: "bob")
    let item = try await value("bob", "SELECT item_id FROM items WHERE text = 'pass it on' AND sent = 0")
    let forwarded = "SELECT 1 FROM items WHERE text = 'pass it on'"
    try await step("bob", until: "\(forwarded) AND sent = 1") {
      "/_forward @\(try await contact("bob", "cath")) @\(try await contact("bob", "alice")) \(item)"
    }
    try await wait("cath", for: "\(forwarded) AND sent = 0")
    try await wait("bob", for: "\(forwarded) AND status = 4")
  }

  private func part() async throws {
    try await step("bob", until: "SELECT 1 FROM contacts WHERE status = 'deletedByUser'") {
      "/_delete @\(try await contact("bob", "cath")) entity notify=on"
    }
    try await wait("cath", for: "SELECT 1 FROM contacts WHERE status = 'deleted'")
    try await say("bob", "still here", to: "alice")
    try await say("cath", "me too", to: "alice")
  }
}
