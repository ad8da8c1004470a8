import ChatAPI
import ChatLogic
import ChatStore

// The user's profile, and the contacts that its changes are sent to.

extension ChatController {
  /// The number of contacts that a new profile is sent to in one turn.
  private static var contactsPerTurn: Int { 50 }

  /// Changes the user's profile, and sends it to everybody who knows it.
  func updateProfile(of user: User, _ profile: Profile) async throws(ChatError) -> ChatResponse {
    guard profile != user.profile.shared else { return .response1(.userProfileNoChange(user: user)) }
    if profile.displayName != user.localDisplayName { try Self.checkName(profile.displayName) }
    let (changed, job, link) = try turn { turn in
      let changed = try turn.rows.updateProfile(of: user, to: profile)
      if changed.activeUser { turn.setActive(changed) }
      var link: String?
      try turn.reportingErrors { link = try turn.updateAddressData(of: changed) }
      return (changed, try turn.addProfileJob(from: user, to: changed), link)
    }
    // The contacts do not wait for the relay of the address.
    let published = Task { await waitForLinkData(link) }
    let summary = try await notifyContacts(job, from: user, to: changed)
    await published.value
    return .response1(
      .userProfileUpdated(
        user: changed, fromProfile: user.profile.shared, toProfile: profile, updateSummary: summary))
  }

  /// Sends the user's new profile to all contacts for whom something changed. After an error the rest is sent in the
  /// background: at once, or as soon as the databases can be used.
  /// - Parameter job: the job that ``Turn/addProfileJob(from:to:)`` stored in an earlier turn. If the program ends, the
  ///   next start continues it.
  @discardableResult
  func notifyContacts(
    _ job: Int64, from user: User, to changed: User
  ) async throws(ChatError) -> UserProfileUpdateSummary {
    // Before the first suspension: a start in the meantime would notify them again.
    runningJobs.insert(job)
    do throws(ChatError) {
      let summary = try await sendProfile(job, from: user, to: changed)
      runningJobs.remove(job)
      return summary
    } catch {
      Task { [weak self] in await self?.resume(job, after: error) }
      throw error
    }
  }

  /// Sends the user's new profile to contacts, some of them in each turn.
  /// - Parameter cursor: the contact after which it continues.
  private func sendProfile(
    _ job: Int64, after cursor: Int64 = 0, from user: User, to changed: User
  ) async throws(ChatError) -> UserProfileUpdateSummary {
    var summary = UserProfileUpdateSummary(updateSuccesses: 0, updateFailures: 0, changedContacts: [])
    var ids = try store.read { try $0.contacts(of: changed) }.map(\.contactId).filter { $0 > cursor }[...]
    var isFinished = false
    while !isFinished {
      let part = ids.prefix(Self.contactsPerTurn)
      ids = ids.dropFirst(part.count)
      isFinished = ids.isEmpty
      let isLast = ids.isEmpty
      let notices = try turn { turn in
        var notices: [ProfileNotice] = []
        for id in part { notices.append(try turn.notifyContact(id, from: user, to: changed)) }
        if isLast {
          try turn.rows.removeJob(job)
        } else if let last = part.last {
          try turn.rows.setCursor(last, ofJob: job)
        }
        return notices
      }
      for notice in notices {
        switch notice {
        case .notNeeded: break
        case .failed: summary.updateFailures += 1
        case .sent(let contact):
          summary.updateSuccesses += 1
          if let contact { summary.changedContacts.append(contact) }
        }
      }
      await Task.yield()
    }
    return summary
  }
}

// MARK: Jobs that were interrupted

extension ChatController {
  /// Continues the jobs that were not finished before the program ended or the databases were closed, or because a
  /// database could not be used.
  func continueJobs() throws(ChatError) {
    let isMainApp = life.start?.isMainApp == true
    let unfinished = try store.read { try $0.jobs() }
      .filter { $0.kind != .copies || isMainApp }
      .filter { runningJobs.insert($0.id).inserted }
    guard !unfinished.isEmpty else { return }
    Task { [weak self] in for job in unfinished { await self?.resume(job.id) } }
  }

  /// Finishes a job. It is retried while a database cannot be used; if the databases are closed first, it continues
  /// when they are opened again.
  /// - Parameter reported: the error of an earlier attempt, which is not reported again.
  private func resume(_ id: Int64, after reported: ChatError? = nil) async {
    defer { runningJobs.remove(id) }
    _ = await untilDatabasesWork(after: reported) { () throws(ChatError) in
      do throws(ChatError) { try await self.continueJob(id) } catch {
        guard self.store.isOpen else { return }
        throw error
      }
    }
  }

  private func continueJob(_ id: Int64) async throws(ChatError) {
    // A turn, because a read would open databases that another process is about to use.
    let (job, user) = try turn(mayBeLost: true) { turn in
      let job = try turn.rows.jobs().first { $0.id == id }
      return (job, try job.flatMap { try turn.rows.userIfPresent($0.userId) })
    }
    guard let job else { return }
    if job.kind == .copies { return removeUnusedCopies(job, from: folders) }
    guard job.kind == .profile, let user, let old = try? LocalProfile(jsonText: job.payload) else {
      return try turn { try $0.rows.removeJob(id) }
    }
    var before = user
    before.profile = old
    _ = try await sendProfile(id, after: job.cursor, from: before, to: user)
  }
}

/// The outcome of sending a contact the new profile.
private enum ProfileNotice: Sendable {
  case notNeeded
  case failed
  /// The contact, if what is allowed in its chat changed.
  case sent(Contact?)
}

extension Turn {
  /// Stores that the user's new profile is to be sent to contacts; returns the number of the job.
  func addProfileJob(from user: User, to changed: User) throws -> Int64 {
    try rows.addJob(.profile, user.profile.jsonText(), of: changed)
  }

  /// Sends a contact who is connected now the user's profile if it was changed meanwhile: the contact may have an
  /// earlier one, because the notice of a change goes to those whom something can be sent to.
  func sendChangedProfile(to contact: Contact, over connection: Connection, of user: User) throws {
    guard (try? contact.sendingConnection()) != nil, !contact.contactConnIncognito,
      try rows.hasChangedProfile(user, since: connection)
    else { return }
    let profile = user.sharedProfile(for: user.merged(contact), sharesTTL: false)
    try reportingErrors { try send(.info(profile), to: contact) }
  }

  fileprivate func notifyContact(_ id: Int64, from user: User, to changed: User) throws -> ProfileNotice {
    // Both may have been deleted meanwhile, and the profile changed again: a contact that heard of that must not be
    // told of an earlier one.
    guard let changed = try? rows.user(changed.userId), let contact = try? rows.contact(id, of: changed) else {
      return .notNeeded
    }
    guard (try? contact.sendingConnection()) != nil, !contact.contactConnIncognito else { return .notNeeded }
    let before = user.merged(contact)
    let after = changed.merged(contact)
    let profile = changed.sharedProfile(for: after, sharesTTL: false)
    guard profile != user.sharedProfile(for: before, sharesTTL: false) else { return .notNeeded }
    do {
      try savepoint { try send(.info(profile), to: after) }
    } catch {
      if rows.hadOutage { throw error }
      emit(.chatErrors(chatErrors: [ChatError(storing: error)]))
      return .failed
    }
    guard after.directOrUsed, after.mergedPreferences != before.mergedPreferences else { return .sent(nil) }
    try addFeatureChanges(from: before, to: after, of: changed, isSent: true, offers: .user)
    return .sent(after)
  }
}
