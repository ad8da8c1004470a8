import ChatAPI
import ChatLogic

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ChatView {
  // MARK: Items

  /// Whether the user wants to see what arrives in the chat.
  func isShown(to user: User, in chat: ChatInfo, direction: CIDirection, isMention: Bool) -> Bool {
    let filter: MsgFilter
    switch (chat, direction) {
    case (.direct(let contact), .directRcv): filter = contact.chatSettings.enableNtfs
    case (.group(let group, _), .groupRcv(let member)):
      guard !member.blocked else { return false }
      filter = group.chatSettings.enableNtfs
    case (.group(let group, _), .channelRcv): filter = group.chatSettings.enableNtfs
    default: return true
    }
    return (user.showNtfs || user.activeUser) && (filter == .all || isMention && filter == .mentions)
  }

  func newItems(_ user: User, _ items: [AChatItem]) -> [StyledText] {
    guard items.count > 20 else {
      return items.flatMap { item -> [StyledText] in
        let isShown = isShown(
          to: user, in: item.chatInfo, direction: item.chatItem.chatDir, isMention: item.chatItem.meta.userMention)
        let lines = self.item(item, showsEvents: false) + reactions(item.chatItem)
        return of(user, unmuted(isShown, lines + testSignature(item.chatItem.content.msgContent)))
      }
    }
    let sentCount = items.count(where: { $0.chatItem.chatDir.sent })
    if sentCount == 0 { return of(user, "\(items.count) new messages") }
    return of(user, sentCount == items.count ? "\(items.count) messages sent" : "\(items.count) new messages created")
  }

  /// The lines of an item. Events and feature notices are shown only where somebody asks for items.
  func item(_ item: AChatItem, showsEvents: Bool) -> [StyledText] {
    if let deleted = deletedLine(item) { return marked([deleted], item) }
    let lines = itemLines(item, showsEvents: showsEvents)
    guard let deleted = deletedText(item), !lines.isEmpty else { return marked(lines, item) }
    return marked(lines.map { $0 + .error(" [\(deleted)]") }, item)
  }

  private func marked(_ lines: [StyledText], _ item: AChatItem) -> [StyledText] {
    guard item.chatItem.meta.forwardedByMember != nil else { return lines }
    return lines.map { $0 + .from(" [>>]") }
  }

  private func itemLines(_ item: AChatItem, showsEvents: Bool) -> [StyledText] {
    let chatItem = item.chatItem
    switch item.chatInfo {
    case .contactRequest, .contactConnection: return []
    case .invalidJSON: return ["invalid chat info"]
    case .direct, .group, .local: break
    }
    let peer = self.peer(item, isEdited: false)
    // A banner has no time of its own, and tells a person nothing.
    if case .chatBanner = chatItem.content, showsStatus { return [] }
    guard let content = chatItem.content.msgContent else {
      guard showsEvents || isAlwaysShown(chatItem.content) else { return [] }
      return eventLines(item, from: peer)
    }
    if chatItem.chatDir.sent, chatItem.meta.itemLive == true { return [] }
    let context = self.context(item)
    var lines: [StyledText] = []
    if !(content.itemText.isEmpty && chatItem.file != nil && context.isEmpty) {
      let shown = content.itemText.isEmpty ? chatItem.file.map { MsgContent.text($0.fileName) } ?? content : content
      lines = message(item, from: peer, context: context, content: shown, isUpdate: false)
    }
    return lines + (chatItem.file.map { fileLines(of: $0, in: item, from: peer) } ?? [])
  }

  /// The lines of an item that is not a message.
  private func eventLines(_ item: AChatItem, from peer: StyledText) -> [StyledText] {
    let content = item.chatItem.content
    let text = StyledText(content.itemText)
    switch content {
    case .rcvIntegrityError, .rcvMsgError: return [start(item) + peer + .error(text.text)]
    case .rcvModerated, .rcvBlocked:
      // Also what the message answered, as it was.
      return lines([text], after: context(item), from: self.peer(item), of: item)
    default:
      let mark: StyledText =
        isUnexpected(item) ? .error(" [unexpected chat item created, please report to developers]") : ""
      return [start(item) + peer + text + StyledText(self.text(item.chatItem.meta.signature)) + mark]
    }
  }

  /// Whether the item is of a kind that such a chat never has.
  private func isUnexpected(_ item: AChatItem) -> Bool {
    switch (item.chatInfo, item.chatItem.content) {
    case (.direct, .sndGroupEvent), (.direct, .rcvGroupEvent), (.local, .sndGroupEvent), (.local, .rcvGroupEvent),
      (.group, .sndGroupInvitation), (.group, .rcvGroupInvitation):
      true
    default: false
    }
  }

  private func isAlwaysShown(_ content: CIContent) -> Bool {
    switch content {
    case .rcvIntegrityError, .rcvMsgError, .rcvModerated, .rcvBlocked: true
    default: false
    }
  }

  /// The message itself, after its time, its chat, and what it answers or forwards.
  func message(
    _ item: AChatItem, from peer: StyledText, context: [StyledText], content: MsgContent, isUpdate: Bool
  ) -> [StyledText] {
    lines(textLines(content).led(by: liveMark(item.chatItem, isUpdate: isUpdate)), after: context, from: peer, of: item)
  }

  /// The lines of a text after what it answers or forwards. For a person those after the first are indented, so that
  /// none looks like the beginning of another message; programs read them as the reference shows them.
  private func lines(
    _ text: [StyledText], after context: [StyledText], from peer: StyledText, of item: AChatItem
  ) -> [StyledText] {
    let lead = start(item) + peer
    if showsStatus { return Self.indented((context + text).led(by: lead)) }
    return (context + (context.isEmpty ? text : text.led(by: "      "))).led(by: lead)
  }

  /// The lines with those after the first indented.
  static func indented(_ lines: [StyledText]) -> [StyledText] {
    lines.prefix(1) + lines.dropFirst().map { "      " + $0 }
  }

  /// The time of an item and, for a sent message, how far it came.
  func start(_ shown: AChatItem) -> StyledText {
    let item = shown.chatItem
    let time = shortTime(item.meta.itemTs) + " "
    guard showsStatus, item.chatDir.sent, item.content.msgContent != nil else { return time }
    if case .localSnd = item.chatDir { return time }
    switch item.meta.itemStatus {
    case .sndNew where shown.chatInfo.isEmptyGroup: return time
    case .sndNew: return time + StyledText("…  ", .time)
    case .sndSent: return time + StyledText("✓  ", .time)
    case .sndRcvd: return time + StyledText("✓✓ ", .color(.green))
    case .sndErrorAuth, .sndError: return time + .error("✗  ")
    case .sndWarning: return time + .error("!  ")
    default: return time
    }
  }

  private func liveMark(_ item: ChatItem, isUpdate: Bool) -> StyledText {
    guard !item.meta.itemEdited, item.meta.itemDeleted == nil, let isLive = item.meta.itemLive else { return "" }
    if item.chatDir.sent { return .to(isLive ? "[LIVE started] " : "[LIVE] ") }
    if !isLive { return .from("[LIVE ended] ") }
    if isUpdate { return .from("[LIVE] ") }
    return "\(.from("[LIVE started]")) use \(.highlight("/show [on/off/\(item.meta.itemId)] "))"
  }

  /// Whom the item goes to or comes from, with a mark where it mentions the user.
  func peer(_ item: AChatItem, isEdited: Bool) -> StyledText {
    peer(
      item, note: isEdited ? "[edited] " : "",
      attention: item.chatItem.meta.userMention && !isEdited && !item.chatItem.chatDir.sent ? "!" : "")
  }

  /// Whom the item goes to or comes from, and a note behind that.
  func peer(_ item: AChatItem, note: String = "", attention: String = "") -> StyledText {
    switch item.chatInfo {
    case .direct(let contact):
      let name = typed(contact)
      return incognitoMark(contact) + (item.chatItem.chatDir.sent ? .to("@\(name) \(note)") : .from("\(name)> \(note)"))
    case .group(let group, let scope):
      let place = "#\(typed(group))\(scopeText(scope))"
      if item.chatItem.chatDir.sent { return incognitoMark(group) + .to("\(place) \(note)") }
      return incognitoMark(group) + .from("\(place)\(memberText(item.chatItem.chatDir))\(attention)> \(note)")
    default:
      return "* "
    }
  }

  /// Who wrote an item that somebody else deleted, and a note behind that. Moderators also delete what the user wrote
  /// to a group.
  func author(_ item: AChatItem, note: String) -> StyledText {
    guard case .group(let group, _) = item.chatInfo, case .groupSnd = item.chatItem.chatDir else {
      return peer(item, note: note)
    }
    var received = item
    received.chatItem.chatDir = .groupRcv(groupMember: group.membership)
    return peer(received, note: note)
  }

  private func memberText(_ direction: CIDirection) -> String {
    if case .groupRcv(let member) = direction { " " + typed(member) } else { "" }
  }

  func scopeText(_ scope: GroupChatScopeInfo?) -> String {
    guard case .memberSupport(let member) = scope else { return "" }
    return member.map { " (support: \(typed($0)))" } ?? " (support)"
  }

  /// What the message answers or forwards.
  func context(_ item: AChatItem) -> [StyledText] {
    if let quote = item.chatItem.quotedItem {
      return preview(quote.content).led(by: quoteMark(quote, item) + " ")
    }
    return item.chatItem.meta.itemForwarded.map { [forwardedFrom($0)] } ?? []
  }

  private func quoteMark(_ quote: CIQuote, _ item: AChatItem) -> StyledText {
    guard case .group(let group, _) = item.chatInfo else {
      return quote.chatDir.sent == item.chatItem.chatDir.sent ? ">>" : ">"
    }
    switch quote.chatDir {
    case .groupSnd: return "> \(.from(DisplayName.quoted(group.membership.localDisplayName)))"
    case .groupRcv(let member): return "> \(.from(typed(member)))"
    default: return ">"
    }
  }

  private func forwardedFrom(_ source: CIForwardedFrom) -> StyledText {
    switch source {
    case .unknown: "-> forwarded"
    case .contact(let name, let direction, _, _):
      StyledText("<- \(direction == .snd ? "you " : "")@\(DisplayName.quoted(name))")
    case .group(let name, let direction, _, _):
      StyledText("<- \(direction == .snd ? "you " : "")#\(DisplayName.quoted(name))")
    }
  }

  func preview(_ content: MsgContent) -> [StyledText] {
    let text = content.itemText
    return textLines(text.count > 120 ? text.prefix(120) + "..." : text)
  }

  // MARK: Text

  func textLines(_ content: MsgContent) -> [StyledText] {
    guard case .chat(let text, let link, let signature) = content else { return textLines(content.itemText) }
    let (kind, name, links) = chatLink(link)
    let head = StyledText("\(kind)\(DisplayName.quoted(name))\(signature == nil ? "" : " (signed)"):")
    return [head] + links.map { StyledText($0) } + (links.contains(text) ? [] : textLines(text))
  }

  private func chatLink(_ link: MsgChatLink) -> (kind: String, name: String, links: [String]) {
    switch link {
    case .contact(let link, let profile, _): ("contact address of @", profile.displayName, [link])
    case .invitation(let link, let profile): ("one-time link of @", profile.displayName, [link])
    case .group(let link, let profile):
      if let group = profile.publicGroup {
        (
          "link to join \(group.groupType.rawValue) #", profile.displayName,
          link == group.groupLink ? [link] : [link, group.groupLink]
        )
      } else {
        ("link to join group #", profile.displayName, [link])
      }
    }
  }

  /// The formatted lines of a text. There are none of an empty text.
  func textLines(_ text: String) -> [StyledText] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines.map { line in
      let pieces = Markdown.parse(String(line)) ?? FormattedText.plain(String(line))
      return pieces.reduce("") { $0 + styled($1) }
    }
  }

  private func styled(_ piece: FormattedText) -> StyledText {
    switch piece.format {
    case .bold: StyledText(piece.text, .bold)
    case .italic: StyledText(piece.text, .italic)
    case .strikeThrough: StyledText(piece.text, .strikeThrough)
    case .small: StyledText(piece.text, .small)
    case .snippet: StyledText("`\(piece.text)`")
    case .secret: "#\(StyledText(piece.text, .secret))#"
    case .colored(let color): StyledText(piece.text, .color(color))
    // Only where the text is the address, so that nobody is led elsewhere than it says.
    case .uri where piece.text == piece.webAddress: StyledText(piece.text, .link)
    default: StyledText(piece.text)
    }
  }
}

extension CIMeta {
  /// The signature of the message; nil where it has none.
  var signature: MsgSigStatus? {
    if case .signed(let status) = msgVerified { status } else { nil }
  }
}
