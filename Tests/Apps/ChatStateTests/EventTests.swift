import ChatAPI
import ChatStateTesting
import Testing

@testable import ChatState

@Suite struct EventTests {
  private let user = Samples.user()
  private let now = Samples.time(1000)

  private func state(_ chats: ChatEntry...) -> AppState {
    var state = AppState()
    state.session.currentUser = user
    state.session.users = [
      UserInfo(user: user, unreadCount: 0),
      UserInfo(user: Samples.user(2, "work", isActive: false), unreadCount: 1),
    ]
    state.replaceChats(chats)
    _ = state.takeChanges()
    return state
  }

  private func entry(_ contact: Contact, _ items: [ChatItem] = []) -> ChatEntry {
    ChatEntry(chatInfo: .direct(contact: contact), chatItems: items, created: now)
  }

  private func entry(_ group: GroupInfo) -> ChatEntry {
    ChatEntry(chatInfo: .group(groupInfo: group, groupChatScope: nil), created: now)
  }

  @Test func `A message changes the counts of another user only`() {
    var state = state(entry(Samples.contact(1, "bob", at: now)))
    let contact = Samples.contact(7, "carol", at: now)
    let item = Samples.item(1, direction: .directRcv, text: "hi", at: now)
    let effects = state.reduce(
      .newChatItems(
        user: Samples.user(2, "work", isActive: false),
        chatItems: [AChatItem(chatInfo: .direct(contact: contact), chatItem: item)]), at: now)
    #expect(state.session.users.map(\.unreadCount) == [0, 2])
    #expect(state.chats.count == 1)
    #expect(effects == [.notifyMessage(userId: 2, .direct(contact: contact), item)])
  }

  private static let muted: User = {
    var user = Samples.user(2, "work", isActive: false)
    user.showNtfs = false
    return user
  }()

  private static let hidden: User = {
    var user = Samples.user(2, "work", isActive: false)
    user.viewPwdHash = UserPwdHash(hash: "aGFzaA==", salt: "c2FsdA==")
    return user
  }()

  /// A person who sees the screen, even a locked one, learns nothing of hidden and muted users.
  @Test(arguments: [(muted, false), (hidden, false), (Samples.user(2, "work", isActive: false), true)])
  func `Notifications of other users`(of user: User, areShown: Bool) {
    var state = state()
    let contact = Samples.contact(7, "carol", at: now)
    let chat = AChatItem(
      chatInfo: .direct(contact: contact), chatItem: Samples.item(1, direction: .directRcv, text: "hi", at: now))
    let call = RcvCallInvitation(
      user: user, contact: contact, callType: CallType(media: .audio, capabilities: CallCapabilities(encryption: true)),
      callUUID: "1", callTs: now)
    let events: [ChatEvent] = [
      .newChatItems(user: user, chatItems: [chat]), .contactConnected(user: user, contact: contact),
      .callInvitation(callInvitation: call),
    ]
    for event in events { #expect(state.reduce(event, at: now).isEmpty != areShown) }
    // Whoever opened the profile sees them; a call rings again after a while.
    state.session.currentUser = user
    let later = now.addingTimeInterval(5)
    for event in events { #expect(!state.reduce(event, at: later).isEmpty) }
  }

  @Test func `Muted chats are not notified of`() {
    var state = state()
    let contact = Samples.contact(1, "bob", at: now, ntfs: .none)
    let group = Samples.group(1, "friends", at: now, ntfs: .mentions)
    func effects(_ info: ChatInfo, isMention: Bool = false) -> [StateEffect] {
      let item = Samples.item(1, direction: .directRcv, text: "hi", at: now, mention: isMention)
      let chat = AChatItem(chatInfo: info, chatItem: item)
      return state.reduce(.newChatItems(user: user, chatItems: [chat]), at: now)
        + state.reduce(.chatItemUpdated(user: user, chatItem: chat), at: now)
    }
    #expect(effects(.direct(contact: contact)).isEmpty)
    #expect(effects(.group(groupInfo: group, groupChatScope: nil)).isEmpty)
    #expect(!effects(.group(groupInfo: group, groupChatScope: nil), isMention: true).isEmpty)
    #expect(state.reduce(.contactConnected(user: user, contact: contact), at: now).isEmpty)
  }

  @Test func `Muted chats do not count`() {
    let contact = Samples.contact(1, "bob", at: now, ntfs: .none)
    var state = state(entry(contact))
    state.addChatItem(.direct(contact: contact), Samples.item(1, direction: .directRcv, text: "hi", at: now), at: now)
    #expect(state.chats["@1"]?.chatStats.unreadCount == 1)
    #expect(state.unreadCount == 0)
    #expect(state.session.users[0].unreadCount == 0)
  }

  @Test func `A message brings a deleted conversation back`() {
    var contact = Samples.contact(1, "bob", at: now)
    contact.chatDeleted = true
    var state = state(entry(contact))
    #expect(state.chats.filtered(by: nil).isEmpty)
    state.addChatItem(.direct(contact: contact), Samples.item(1, direction: .directRcv, text: "hi", at: now), at: now)
    #expect(state.chats.filtered(by: nil) == ["@1"])
  }

  @Test func `A connection's own entry goes when its contact connects`() {
    let pending = PendingContactConnection(
      pccConnId: 5, pccAgentConnId: "conn5", pccConnStatus: .new, viaContactUri: false, localAlias: "", createdAt: now,
      updatedAt: now)
    var state = state(ChatEntry(chatInfo: .contactConnection(contactConnection: pending), created: now))
    state.misc.showingInvitation = ShowingInvitation(pcc: pending)
    var contact = Samples.contact(1, "bob", at: now)
    contact.activeConn?.connId = 5
    let effects = state.reduce(.contactConnected(user: user, contact: contact), at: now)
    #expect(state.chats.order == ["@1"])
    #expect(state.misc.showingInvitation?.connChatUsed == true)
    #expect(effects == [.notifyContactConnected(userId: 1, contact)])
  }

  @Test func `Subscriptions are followed for the open chat`() {
    var state = state(entry(Samples.contact(1, "bob", at: now)))
    state.open.chatAgentConnId = "conn1"
    func event(_ status: SubscriptionStatus, _ connections: [String]) -> ChatEvent {
      .subscriptionStatus(server: "s", subscriptionStatus: status, connections: connections)
    }
    _ = state.reduce(event(.pending, ["conn2"]), at: now)
    #expect(state.open.chatSubStatus == nil)
    _ = state.reduce(event(.active, ["conn2", "conn1"]), at: now)
    #expect(state.open.chatSubStatus == .active)
  }

  @Test func `Members of the open group are indexed`() {
    let group = Samples.group(1, "friends", at: now)
    var state = state(entry(group))
    let member = Samples.member(5, in: 1, "bob")
    _ = state.reduce(.joinedGroupMember(user: user, groupInfo: group, member: member), at: now)
    #expect(state.members.groupMembers.isEmpty)
    state.setChatId("#1")
    _ = state.reduce(.joinedGroupMember(user: user, groupInfo: group, member: member), at: now)
    var renamed = member
    renamed.localDisplayName = "bobby"
    _ = state.reduce(
      .groupMemberUpdated(user: user, groupInfo: group, fromMember: member, toMember: renamed), at: now)
    #expect(state.members.groupMembers == [renamed])
    #expect(state.members.groupMembersIndexes == [5: 0])
    state.removeChat("#1")
    #expect(state.members.groupMembers.isEmpty)
  }

  @Test func `A removed member's messages become moderated, and handled reports are counted off`() throws {
    let group = Samples.group(1, "friends", at: now)
    let bob = Samples.member(5, in: 1, "bob")
    var state = state(entry(group))
    state.setChatId("#1")
    let info = ChatInfo.group(groupInfo: group, groupChatScope: nil)
    var report = Samples.item(1, direction: .groupRcv(groupMember: bob), text: "spam", at: now)
    report.content = .rcvMsgContent(msgContent: .report(text: "spam", reason: .spam))
    state.addChatItem(info, report, at: now)
    #expect(state.chats["#1"]?.chatStats.reportsCount == 1)
    #expect(state.tags.presetTags[.groupReports] == 1)
    _ = state.reduce(
      .deletedMember(
        user: user, groupInfo: group, byMember: group.membership, deletedMember: bob, withMessages: true), at: now)
    let item = try #require(state.items.items.first)
    guard case .moderated = item.meta.itemDeleted else { throw Failure("not moderated: \(item.meta)") }
    #expect(state.chats["#1"]?.chatStats.reportsCount == 0)
    #expect(state.tags.presetTags[.groupReports] == nil)
  }

  @Test func `A call goes through its states, and others' calls do not`() {
    var state = state()
    let bob = Samples.contact(1, "bob", at: now)
    let offer = WebRTCSession(rtcSession: "session", rtcIceCandidates: "candidates")
    let type = CallType(media: .audio, capabilities: CallCapabilities(encryption: true))
    let event = ChatEvent.callOffer(
      user: user, contact: bob, callType: type, offer: offer, sharedKey: "key", askConfirmation: false)
    let unknown = state.reduce(event, at: now)
    #expect(unknown == [.endCall(bob)])
    state.calls.activeCall = Call(
      isOutgoing: true, contact: bob, initialCallType: .audio, callState: .invitationSent)
    let effects = state.reduce(event, at: now)
    #expect(effects.isEmpty)
    #expect(state.calls.activeCall?.callState == .offerReceived)
    #expect(state.calls.callCommands == [.offer(session: offer, media: .audio, sharedKey: "key")])
    _ = state.reduce(.callEnded(user: user, contact: bob), at: now)
    #expect(state.calls.activeCall?.callState == .ended)
  }

  @Test func `A session with a desktop goes through its states`() {
    var state = state()
    let desktop = RemoteCtrlInfo(remoteCtrlId: 1, ctrlDeviceName: "desk")
    _ = state.reduce(.remoteCtrlFound(remoteCtrl: desktop, appVersion: "7.0", compatible: true), at: now)
    #expect(state.remoteCtrlSession == nil)
    state.remoteCtrlSession = RemoteCtrlSession(appVersion: "7.0", sessionState: .searching)
    _ = state.reduce(.remoteCtrlFound(remoteCtrl: desktop, appVersion: "7.0", compatible: true), at: now)
    _ = state.reduce(.remoteCtrlSessionCode(remoteCtrl_: desktop, sessionCode: "123"), at: now)
    #expect(state.remoteCtrlSession?.sessionCode == "123")
    state.remoteCtrlSession = state.remoteCtrlSession?.updateState(.connected(remoteCtrl: desktop, sessionCode: "123"))
    let effects = state.reduce(
      .remoteCtrlStopped(rcsState: .starting, rcStopReason: .disconnected), at: now)
    #expect(effects == [.switchToLocalSession])
    #expect(state.remoteCtrlSession == nil)
  }

  @Test func `Events that change nothing are passed on with their content`() {
    var state = state(entry(Samples.contact(1, "bob", at: now)))
    let event = ChatEvent.hostConnected(protocol: .smp, transportHost: "relay")
    let effects = state.reduce(event, at: now)
    #expect(effects == [.ignored(event)])
    let changes = state.takeChanges()
    #expect(changes.chats.isEmpty)
  }

  @Test func `Deleting the last of a kind ends the filter by it`() {
    var state = state(
      entry(Samples.contact(1, "bob", at: now)), entry(Samples.group(1, "friends", at: now)))
    state.tags.activeFilter = .presetTag(.groups)
    #expect(state.chats.filtered(by: state.tags.activeFilter) == ["#1"])
    state.removeChat("#1")
    #expect(state.tags.activeFilter == nil)
  }

  @Test func `A search looks at names, whatever the filter is`() {
    let state = state(
      entry(Samples.contact(1, "Bob", at: now)), entry(Samples.group(1, "Friends of Bob", at: now)))
    #expect(state.chats.filtered(by: .unread, search: "bob") == ["@1", "#1"])
    #expect(state.chats.filtered(by: .unread) == [])
  }

  @Test func `Moving to this device goes step by step`() {
    var step = MigrationToState.pasteOrScanLink
    for fact: MigrationToState.Fact in [
      .downloaded(bytes: 3), .linkGiven("link"), .downloadEnded(succeeded: false), .retried,
      .downloadStarted(fileId: 1, totalBytes: 100, archivePath: "a"), .downloaded(bytes: 500),
      .downloadEnded(succeeded: true), .imported(succeeded: true),
    ] { step = step.next(fact) }
    #expect(step == .passphrase(passphrase: ""))
    step = step.next(.passphraseTested(.errorNotADatabase(dbFile: "a"), passphrase: "x", useKeychain: true))
    #expect(step == .passphrase(passphrase: ""))
    step = step.next(.passphraseTested(.ok, passphrase: "y", useKeychain: true))
    #expect(step == .migration(passphrase: "y", confirmation: .yesUp, useKeychain: true))
  }
}
