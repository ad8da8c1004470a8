import ChatAPI
import Foundation
import SimplexJSON
import Testing

@Suite("Results")
struct APIResultTests {
  private static let user =
    #"{"userId":1,"agentUserId":"1","userContactId":1,"localDisplayName":"alice","profile":{"profileId":1,"displayName":"alice","fullName":"","localAlias":""},"fullPreferences":{"timedMessages":{"allow":"yes"},"fullDelete":{"allow":"no"},"reactions":{"allow":"yes"},"voice":{"allow":"yes"},"files":{"allow":"always"},"calls":{"allow":"yes"}},"activeUser":true,"activeOrder":1,"showNtfs":true,"sendRcptsContacts":true,"sendRcptsSmallGroups":true}"#
  private static let notes =
    #"{"chatInfo":{"type":"local","noteFolder":{"noteFolderId":7,"userId":1,"createdAt":"2024-01-02T03:04:05Z","updatedAt":"2024-01-02T03:04:05Z","chatTs":"2024-01-02T03:04:05Z","favorite":false,"unread":false}},"chatItems":[],"chatStats":{"unreadCount":0,"unreadMentions":0,"reportsCount":0,"minUnreadItemId":0,"unreadChat":false}}"#

  private func decode<R: ChatAPIResult>(_ text: String, as _: R.Type) -> APIResult<R> {
    decodeAPIResult(Array(text.utf8))
  }

  @Test func resultsAndErrors() throws {
    guard case .result(.chatStarted) = decode(#"{"result":{"type":"chatStarted"}}"#, as: ChatResponse0.self) else {
      Issue.record("not chatStarted")
      return
    }
    let text = #"{"error":{"type":"error","errorType":{"type":"noActiveUser"}}}"#
    guard case .error(let error) = decode(text, as: ChatResponse0.self) else {
      Issue.record("not an error")
      return
    }
    #expect(error == .error(errorType: .noActiveUser))
    #expect(error.errorType == "error noActiveUser")
  }

  @Test(
    arguments: [
      (#"{"error":{"type":"errorNew","x":1}}"#, #"unexpectedResult error invalidJSON"#),
      (#"{"error":7}"#, "unexpectedResult error invalidJSON"),
      (#"{"result":{"_owsf":true,"newResult":{}}}"#, "unexpectedResult * newResult"),
      (#"{"result":{"type":"activeUser","user":{}}}"#, "unexpectedResult * activeUser"),
      (#"{"result":[]}"#, "unexpectedResult * unknown"), (#"{"other":1}"#, "unexpectedResult * invalid"),
      ("not JSON", "unexpectedResult * invalid"), ("", "unexpectedResult * invalid"),
    ])
  func whatCannotBeReadIsSaved(text: String, description: String) {
    let result = decode(text, as: ChatResponse0.self)
    switch result {
    case .result: Issue.record("read: \(text)")
    case .error(let error): #expect("unexpectedResult error \(error.errorType)" == description)
    case .invalid: #expect(result.unexpected.errorType == description)
    }
  }

  /// One chat of three is of an unknown kind and one has no counts: both are shown as invalid.
  @Test(arguments: [#"{"chatInfo":{"type":"newKind","x":1},"#, #"{"chatInfo":{"type":"group","groupInfo":{}},"#])
  func oneUnreadableChatDoesNotHideTheOthers(start: String) throws {
    let unreadable = Self.notes.replacing(/^{"chatInfo":.*?}},/, with: start)
    let incomplete = #"{"chatInfo":{"type":"direct"}}"#
    let text =
      #"{"result":{"type":"apiChats","user":\#(Self.user),"chats":[\#(unreadable),\#(Self.notes),\#(incomplete)]}}"#
    guard case .result(.apiChats(let user, let chats)) = decode(text, as: ChatResponse0.self) else {
      Issue.record("not apiChats")
      return
    }
    #expect(user.localDisplayName == "alice")
    #expect(chats.map(\.id) == ["", "*7", ""])
  }

  @Test func anUnreadableItemKeepsItsIds() throws {
    let meta =
      #"{"itemId":5,"itemTs":"2024-01-02T03:04:05Z","itemText":"t","itemStatus":{"type":"rcvNew"},"itemEdited":false,"userMention":false,"deletable":false,"editable":false,"showGroupAsSender":false,"createdAt":"2024-01-02T03:04:05Z","updatedAt":"2024-01-02T03:04:05Z"}"#
    let item = #"{"chatDir":{"type":"localRcv"},"meta":\#(meta),"content":{"type":"newContent"},"reactions":[]}"#
    let chat = try ChatData(jsonText: Self.notes.replacing("\"chatItems\":[]", with: "\"chatItems\":[\(item),7]"))
    #expect(chat.chatItems.map(\.meta.itemId) == [5, 0])
    #expect(chat.chatItems[0].content == .invalidJSON(direction: .rcv, json: item))
    #expect(chat.chatItems[1].content == .invalidJSON(direction: .snd, json: "7"))
    #expect(try ChatData(jsonText: chat.jsonText()) == chat)
  }

  @Test func anyResponseKnowsItsPart() throws {
    for tag in ["chatStopped", "cmdOk"] {
      let response = try ChatResponse(jsonText: #"{"type":"\#(tag)"}"#)
      #expect(response.responseType == tag)
      #expect(response.details == "\(tag): no details")
      #expect(response.jsonText() == #"{"type":"\#(tag)"}"#)
    }
    #expect(throws: JSONError(.unknownCase("noSuchTag"))) { try ChatResponse(jsonText: #"{"type":"noSuchTag"}"#) }
    #expect(throws: JSONError(.missingField, path: ["user"])) { try ChatResponse(jsonText: #"{"type":"activeUser"}"#) }
  }

  @Test func remoteHostsAreNamed() {
    var writer = JSONWriter()
    APIResult<ChatResponse0>.result(.chatRunning).encode(to: &writer, remoteHostId: 3)
    #expect(writer.text == #"{"remoteHostId":3,"result":{"type":"chatRunning"}}"#)
  }
}
