import ChatAPI
import SimplexJSON

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a terminal shows of responses, events and errors: the lines that users of the reference know.
///
/// What has no lines of its own yet is shown as JSON.
public struct ChatView: Sendable {
  /// The device that the lines are of, where it is not the one whose profile is used: `local`, or `remote: 1`.
  public var origin: String?
  /// The mobile device that the lines are of, a database id; nil for this device.
  public var remoteHost: Int64?
  /// The user whose chats are shown; lines about others begin with their name.
  public var user: User?
  /// The time that recent times are recent at.
  public var now: Date
  /// Whether reactions of others are shown.
  public var showsReactions: Bool
  /// Whether messages are shown while they are being typed.
  public var showsLiveMessages = false
  /// Whether a person reads the lines. Then lines of sent messages show how far they came (… not sent, ✓ sent,
  /// ✓✓ received, ✗ not delivered), and errors say what helps; programs get the words that they know.
  public var showsStatus = false
  /// Whether the databases were replaced, so that nothing but another start of the program helps.
  public var isStoreChanged = false
  /// Whether the lines are those of the reference's view for tests.
  public var isTestView = false
  /// Whether the view for tests also tells of receipts.
  public var showsReceipts = false
  /// The folder for received files that is said with a file, because there is no other one that a person expects.
  public var receivedFolder: String?
  /// How much is shown of errors outside of commands.
  public var logLevel = LogLevel.important

  /// From the most to the least talkative.
  public enum LogLevel: String, CaseIterable, Comparable, Sendable {
    case debug, info, warn, error, important

    /// The order of talkativeness.
    public static func < (left: LogLevel, right: LogLevel) -> Bool {
      (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
    }
  }

  /// Whether details are shown that interest developers.
  var isVerbose: Bool { logLevel <= .info }

  /// A view for this user.
  public init(user: User? = nil, now: Date = Date(), showsReactions: Bool = false) {
    self.user = user
    self.now = now
    self.showsReactions = showsReactions
  }

  /// The lines of the result of a command.
  public func lines(_ result: APIResult<ChatResponse>) -> [StyledText] {
    switch result {
    case .result(let response): lines(response)
    case .error(let error): lines(error, isOfCommand: true)
    case .invalid(let type, _): ["unreadable response: \(type)"]
    }
  }

  /// The lines of an event.
  public func lines(_ event: APIResult<ChatEvent>) -> [StyledText] {
    switch event {
    case .result(let event): lines(event)
    case .error(let error): lines(error, isOfCommand: false)
    case .invalid(let type, _): ["unreadable event: \(type)"]
    }
  }

  /// The lines of a response.
  public func lines(_ response: ChatResponse) -> [StyledText] {
    switch response {
    case .response0(let response): lines(response)
    case .response1(let response): lines(response)
    case .response2(let response): lines(response)
    case .response3(let response): lines(response)
    }
  }

  // MARK: Users

  /// The lines as the user sees them: none of users who are muted or hidden, unless they are the active one.
  func of(_ user: User, _ lines: [StyledText]) -> [StyledText] {
    guard user.showNtfs && user.viewPwdHash == nil || user.activeUser, !lines.isEmpty else { return [] }
    guard user.userId != self.user?.userId else { return marked(lines) }
    let device = origin.map { "\($0), " } ?? ""
    return lines.led(by: "[\(device)user: \(.highlight(user.localDisplayName))] ")
  }

  /// The lines with the device that they are of at their beginning, unless they have it already.
  func marked(_ lines: [StyledText]) -> [StyledText] {
    guard let origin, let first = lines.first, !first.text.hasPrefix("[\(origin)") else { return lines }
    return lines.led(by: "[\(origin)] ")
  }

  func of(_ user: User?, _ lines: [StyledText]) -> [StyledText] { user.map { of($0, lines) } ?? lines }

  func of(_ user: User, _ line: StyledText) -> [StyledText] { of(user, [line]) }

  // MARK: Pieces

  /// A link in the form that opens in a browser, where a page explains it to people without the app.
  func webLink(_ link: String) -> String {
    link.hasPrefix("simplex:/") ? "https://simplex.chat/" + link.dropFirst(9) : link
  }

  /// The hosts of a server's address.
  func host(_ server: String) -> String {
    (try? ServerAddress(parsing: server))?.hostnames.joined(separator: ",") ?? server
  }

  func json(_ value: some JSONEncodable) -> StyledText { StyledText(value.jsonText()) }

  func time(_ date: Date) -> StyledText { StyledText(LocalTime(date).full, .time) }

  func shortTime(_ date: Date) -> StyledText {
    StyledText(LocalTime(date).short(now: LocalTime(now)), .time)
  }

  func name(_ contact: Contact) -> StyledText { .contact(contact.localDisplayName) }

  func name(_ group: GroupInfo) -> StyledText { .group(group.localDisplayName) }

  func name(_ member: GroupMember) -> StyledText { .contact(member.localDisplayName) }

  func fullName(_ contact: Contact) -> StyledText {
    fullName(contact.localDisplayName, fullName: contact.profile.fullName, shortDescr: contact.profile.shortDescr)
  }

  func fullName(_ group: GroupInfo) -> StyledText {
    .group(group.localDisplayName) + details(group)
  }

  func fullName(_ name: String, fullName: String, shortDescr: String?) -> StyledText {
    .contact(name) + StyledText(description(name, fullName: fullName, shortDescr: shortDescr))
  }

  func fullName(_ member: GroupMember) -> StyledText {
    let profile = member.memberProfile
    return fullName(member.localDisplayName, fullName: profile.fullName, shortDescr: profile.shortDescr)
  }

  /// What else the profile of a group says, in parentheses.
  func details(_ group: GroupInfo) -> StyledText {
    let profile = group.groupProfile
    return StyledText(
      description(group.localDisplayName, fullName: profile.fullName, shortDescr: profile.shortDescr))
  }

  /// What else a profile says of its owner, in parentheses: the full name, or the description where it says no more.
  private func description(_ name: String, fullName: String, shortDescr: String?) -> String {
    guard fullName.isEmpty || fullName == name else { return " (\(fullName))" }
    return shortDescr.map { $0.isEmpty ? "" : " (\($0))" } ?? ""
  }

  /// A name as it is typed in commands.
  func typed(_ contact: Contact) -> String { DisplayName.quoted(contact.localDisplayName) }

  func typed(_ group: GroupInfo) -> String { DisplayName.quoted(group.localDisplayName) }

  func typed(_ member: GroupMember) -> String { DisplayName.quoted(member.localDisplayName) }

  /// The mark of chats with a profile of their own.
  func incognitoMark(_ contact: Contact) -> StyledText { contact.contactConnIncognito ? .incognito("i ") : "" }

  func incognitoMark(_ group: GroupInfo) -> StyledText { incognitoMark(group.membership) }

  func incognitoMark(_ member: GroupMember) -> StyledText { member.memberIncognito ? .incognito("i ") : "" }

  func counted(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }
}
