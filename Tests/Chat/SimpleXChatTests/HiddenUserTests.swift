import SimplexJSON
import SimplexTesting
import Testing

/// What commands of other users tell of hidden ones: nothing.
@Suite struct HiddenUserTests {
  /// A core with the hidden user `alice` and the active user `visible`.
  private func withHidden(_ body: (TestCore) async throws -> Void) async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let core = try await world.profile("alice")
      _ = try await core.run("/create user visible")
      _ = try await core.run("/user alice")
      _ = try await core.run("/hide user secret")
      _ = try await core.run("/user visible")
      try await body(core)
    }
  }

  private func name(_ answer: JSONValue) -> String? { answer["user"]?["localDisplayName"]?.stringValue }

  /// The name of a hidden user is as a free one: of a new user, and of one that is renamed.
  @Test(arguments: ["/create user alice", "/p alice"]) func itsNameIsFree(command: String) async throws {
    try await withHidden { core in
      let answer = try await core.run(command)
      #expect(name(answer) == "alice" && answer["user"]?["viewPwdHash"] == nil, "\(answer.jsonText())")
      #expect(name(try await core.run("/user alice")) == "alice")
      // Both are found, each by its name and password.
      let hidden = try await core.run("/user alice secret")
      #expect(hidden["user"]?["viewPwdHash"] != nil)
      #expect(hidden["user"]?["profile"]?["displayName"]?.stringValue == "alice")
      _ = try await core.run("/unhide user secret")
      #expect(name(try await core.run("/user alice")) == "alice")
      let answers = [try await core.answer("/create user alice")]
      #expect(answers[0]["errorType"]?["type"]?.stringValue == "userExists")
      // The one that was hidden keeps its profile, contacts see no change.
      #expect(try await core.run("/user \(name(hidden) ?? "")")["user"]?["userId"] == hidden["user"]?["userId"])
      _ = try await core.run("/delete user alice")
    }
  }

  @Test func aWrongPasswordIsAsAnUnknownName() async throws {
    try await withHidden { core in
      for command in ["/user alice", "/user alice wrong", "/delete user alice", "/user nobody", "/user nobody wrong"] {
        let answer = try await core.answer(command)
        #expect(answer["errorType"]?["type"]?.stringValue == "userUnknown", "\(command): \(answer.jsonText())")
      }
    }
  }

  /// A password that was mistyped for a hidden user deletes nobody else who has the name.
  @Test func aWrongPasswordDeletesNobody() async throws {
    try await withHidden { core in
      _ = try await core.run("/create user alice")
      _ = try await core.run("/user visible")
      let answer = try await core.answer("/delete user alice wrong")
      #expect(answer["errorType"]?["type"]?.stringValue == "userUnknown", "\(answer.jsonText())")
      #expect(name(try await core.run("/user alice")) == "alice")
      _ = try await core.run("/user visible")
      _ = try await core.run("/delete user alice secret")
      #expect(name(try await core.run("/user alice")) == "alice")
    }
  }

  /// Checking servers, and setting them, does not tell of those of hidden users.
  @Test func itsServersAreNotChecked() async throws {
    try await withHidden { core in
      _ = try await core.run("/user alice secret")
      _ = try await core.run("/sql chat DELETE FROM servers WHERE user_id = 1")
      let active = try await core.run("/user visible")["user"]?["userId"]?.integerValue ?? 0
      let servers = try await core.run("/_servers \(active)")["userServers"]?.jsonText() ?? ""
      let answer = try await core.run("/_validate_servers \(active) \(servers)")
      for key in ["serverErrors", "serverWarnings"] {
        #expect(answer[key]?.arrayValue?.allSatisfy { $0["user"] == nil } == true, "\(answer.jsonText())")
      }
      #expect(try await core.answer("/_servers \(active) \(servers)")["type"]?.stringValue == "cmdOk")
    }
  }
}
