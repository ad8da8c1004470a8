import SimplexTesting
import Testing

extension TestCore {
  /// Creates the address of the first user; returns its full link.
  func createAddress() async throws -> String {
    try #require(try await run("/_address 1")["connLinkContact"]?["connFullLink"]?.stringValue)
  }

  /// Creates an invitation of the first user; returns its full link.
  func createInvitation() async throws -> String {
    try #require(try await run("/_connect 1")["connLinkInvitation"]?["connFullLink"]?.stringValue)
  }

  /// Prepares a contact named alice by a link; returns its database id.
  func prepareContact(_ link: String) async throws -> Int64 {
    let prepared = try await run(#"/_prepare contact 1 \#(link) {"profile":{"displayName":"alice","fullName":""}}"#)
    return try #require(prepared["chat"]?["chatInfo"]?["contact"]?["contactId"]?.integerValue)
  }
}

extension TestWorld {
  /// Alice, whose address has a welcome message, bob, who asks to connect, and the database id of his request.
  func withRequest() async throws -> (alice: TestCore, bob: TestCore, request: Int64) {
    let (alice, bob) = (try await profile("alice"), try await profile("bob"))
    let link = try await alice.createAddress()
    _ = try await alice.run(
      #"/_address_settings 1 {"businessAddress":false,"autoReply":{"type":"text","text":"welcome!"}}"#)
    _ = try await bob.run("/connect \(link)")
    let event = try await alice.event("receivedContactRequest")
    return (alice, bob, try #require(event["contactRequest"]?["contactRequestId"]?.integerValue))
  }
}
