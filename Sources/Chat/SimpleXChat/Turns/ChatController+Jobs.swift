import ChatAPI
import ChatStore

// Work about groups, and about users who are deleted, that would take a turn too long. It is done in parts, each in a
// turn of its own; between them everything else is handled. What is left continues with the next start.

extension ChatController {
  /// Does the jobs about members, groups, files and users, a part of each in turn; no-op where that is under way, or
  /// nothing is given to the agent.
  func workOnJobs() {
    guard working == nil, outbox.isOpen, let agent else { return }
    working = Task(executorPreference: agent.taskExecutor) { [weak self] in await self?.work() }
  }

  /// Stops after the part in progress.
  func stopJobs() async {
    // Another may be started before this continues.
    while let task = working {
      task.cancel()
      await task.value
    }
  }

  private func work() async {
    var last: Int64 = 0
    var failed: [Int64] = []
    while !Task.isCancelled, outbox.isOpen {
      var job: ChatJob?
      let isDone = await untilDatabasesWork { () throws(ChatError) in
        let (after, skipped) = (last, failed)
        job = try self.store.read { try $0.jobAboutSubject(after: after, without: skipped) }
        if let job, try !self.turn({ try $0.work(on: job) }) { failed.append(job.id) }
      }
      guard isDone, let job else { break }
      last = job.id
      await Task.yield()
    }
    working = nil
  }
}

extension Turn {
  /// Does a part of a job, and removes it where nothing is left. One that fails is given up, as its error would come
  /// again, but for the deletion of a user: that is tried again later, because nobody else would delete what is left.
  /// - Returns: false where it failed and stays.
  func work(on job: ChatJob) throws -> Bool {
    var (isFinished, hasFailed) = (true, true)
    try reportingErrors {
      isFinished = try isFinishedAfterPart(of: job)
      hasFailed = false
    }
    if hasFailed, job.kind == .user { return false }
    if isFinished { try rows.removeJob(job.id) }
    if hasFailed, job.kind == .introductions, let member = job.subject {
      try rows.setPendingIntroductions(false, member: member)
      if let user = try? rows.user(job.userId) { try later(.pending, about: member, of: user) }
    }
    return true
  }

  private func isFinishedAfterPart(of job: ChatJob) throws -> Bool {
    guard let subject = job.subject else { return true }
    if job.kind == .user { return try deleteSome(ofDeletedUser: subject) }
    guard let user = try rows.userIfPresent(job.userId) else {
      // Of a group whose user is deleted, too, only these are left.
      return job.kind == .group ? try deleteSomeRecords(ofDeletedGroup: subject) : true
    }
    switch job.kind {
    case .introductions: return try continueIntroductions(to: subject, history: job.payload != "", of: user)
    case .pending: return try rows.memberIfPresent(subject, of: user).map { try sendSomePending(to: $0) } ?? true
    case .connections: return try deleteSomeConnections(ofGroup: subject, waitForDelivery: job.payload != "")
    case .group: return try deleteSome(ofDeletedGroup: subject, waitForDelivery: job.payload != "", of: user)
    case .descriptions: return try isFinishedAfterSendingDescriptions(ofFile: subject, user)
    case .messages: return try isFinishedAfterDeletingMessages(ofMember: subject, job, user)
    case .reviews: return try isFinishedAfterIntroducingMembersUnderReview(inGroup: subject, job, user)
    case .profile, .user, .copies, nil: return true
    }
  }
}
