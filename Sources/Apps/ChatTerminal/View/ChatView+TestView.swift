import ChatAPI
import SimplexJSON

// What the reference's view for tests shows instead of, or besides, the lines that people see.

extension ChatView {
  /// A value as JSON, behind the lines that tell of it.
  func testJSON(_ value: (some JSONEncodable)?) -> [StyledText] {
    guard isTestView else { return [] }
    return [value.map { json($0) } ?? "null"]
  }

  /// The profile that a person shows to one contact or group, before the lines that tell of it.
  func testProfile(_ profile: Profile?) -> [StyledText] {
    guard isTestView, let profile else { return [] }
    return [.incognito(profile.displayName)]
  }

  /// The signature of a shared chat, behind the message.
  func testSignature(_ content: MsgContent?) -> [StyledText] {
    guard case .chat(_, _, let signature?) = content else { return [] }
    return testJSON(signature)
  }

  /// The messages that others received, or some of them in a group.
  func testReceipts(_ items: [AChatItem]) -> [StyledText] {
    guard isTestView, showsReceipts else { return [] }
    guard items.count <= 20 else { return ["\(items.count) message statuses updated"] }
    return items.flatMap { item -> [StyledText] in
      guard case .sndRcvd(let receipt, let progress) = item.chatItem.meta.itemStatus else { return [] }
      let mark = (progress == .complete ? "⩗" : "%") + (receipt == .badMsgHash ? "!" : "")
      return self.item(item, showsEvents: false).led(by: "\(mark) ")
    }
  }

  /// The lines of what arrives in a chat that the user may have muted.
  func unmuted(_ isShown: Bool, _ lines: [StyledText]) -> [StyledText] {
    if isShown { return lines }
    return isTestView ? lines.map { $0 + " <muted>" } : []
  }

  /// Names, latest items and states of chats. The first users of the reference's tests have no folder of notes, so an
  /// empty one is left out there.
  func testChats(_ chats: [ChatData]) -> StyledText {
    let shown = chats.filter { chat in
      guard case .local(let folder) = chat.chatInfo else { return true }
      return folder.userId != 1 || !chat.chatItems.isEmpty
    }
    let chats = shown.map { chat in
      let item = chat.chatItems.first.map { testText(of: $0, in: chat.chatInfo) } ?? ""
      let (name, status) = testName(chat.chatInfo)
      return "(\(ConstructorText.quoted(name)),\(ConstructorText.quoted(item)),\(ConstructorText.of(status as Any)))"
    }
    return StyledText("[\(chats.joined(separator: ","))]")
  }

  /// The items of a chat: who wrote them (0 for others, 1 for the user), their texts, what they answer, their files.
  func testChat(_ chat: ChatData) -> StyledText {
    let items = chat.chatItems.map { item in
      let quote = item.quotedItem.map { quote in
        "Just (\(quote.chatDir.sent ? 1 : 0),\(ConstructorText.quoted(quote.content.text)))"
      }
      let path = ConstructorText.of(item.file?.fileSource?.filePath as Any)
      let text = ConstructorText.quoted(testText(of: item, in: chat.chatInfo))
      return "((\(item.chatDir.sent ? 1 : 0),\(text)),\(quote ?? "Nothing"),\(path))"
    }
    return StyledText("[\(items.joined(separator: ","))]")
  }

  private func testText(of item: ChatItem, in chat: ChatInfo) -> String {
    let deleted = deletedText(AChatItem(chatInfo: chat, chatItem: item)).map { " [\($0)]" } ?? ""
    return item.meta.itemText + text(item.meta.signature) + deleted
  }

  private func testName(_ chat: ChatInfo) -> (String, ConnStatus?) {
    switch chat {
    case .direct(let contact): ("@\(contact.localDisplayName)", contact.activeConn?.connStatus)
    case .group(let group, _): ("#\(group.localDisplayName)", nil)
    case .local: ("*", nil)
    case .contactRequest(let request): ("<@\(request.localDisplayName)", nil)
    case .contactConnection(let connection): (":\(connection.pccConnId)", connection.pccConnStatus)
    case .invalidJSON: ("invalid chat info", nil)
    }
  }
}
