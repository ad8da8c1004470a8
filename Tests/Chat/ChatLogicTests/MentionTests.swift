import ChatAPI
import ChatLogic
import Testing

/// Mentions get the names that their members have when a message goes out again.
@Suite struct MentionTests {
  private func mention(_ id: String, _ name: String?) -> CIMention {
    CIMention(
      memberId: id,
      memberRef: name.map { CIMentionMember(groupMemberId: 1, displayName: $0, localAlias: nil, memberRole: .member) })
  }

  private func updated(_ text: String, _ mentions: [String: CIMention]) -> (text: String, names: [String: String]) {
    let (content, found) = MentionNames.updated(.text(text), mentions)
    return (content.text, found.mapValues(\.memberId))
  }

  @Test func renamedMembersHaveTheirNewName() {
    let one = updated("hello @bob, and @alice!", ["bob": mention("1", "rob ert"), "alice": mention("2", "alice")])
    #expect(one.text == "hello @'rob ert', and @alice!" && one.names == ["rob ert": "1", "alice": "2"])
    let same = updated("@bob and @alice", ["bob": mention("1", "eve"), "alice": mention("2", "eve")])
    #expect(same.text == "@eve and @eve_1" && same.names == ["eve": "1", "eve_1": "2"])
  }

  @Test func otherTextStays() {
    let unknown = updated("@bob *bold* @cath", ["bob": mention("1", nil), "cath": mention("2", "kate")])
    #expect(unknown.text == "@bob *bold* @kate" && unknown.names == ["bob": "1", "kate": "2"])
    // A name with a number is the name of the second member that is called so.
    let numbered = updated("@bob_1 @bob_x", ["bob_1": mention("1", "bob")])
    #expect(numbered.text == "@bob_1 @bob_x" && numbered.names == ["bob_1": "1"])
    #expect(updated("*@bob* no mention", [:]).text == "*@bob* no mention")
  }
}
