import NIOCore
import QueueStore
import RelayChassis
import SMPProtocol
import SMPServerCore
import Synchronization
import WireCodec

/// The commands of the control port. Used on one event loop.
final class ControlSession: ControlCommands {
  /// The number of queues blocked on a day, by all sessions.
  private static let blocked = Mutex((day: Int64(0), count: Int64(0)))

  private let settings: CurrentSettings
  private let server: RelayServer
  private let access: ControlAccess
  private var role = ControlRole.none

  init(_ settings: CurrentSettings, _ server: RelayServer, access: ControlAccess) {
    self.settings = settings
    self.server = server
    self.access = access
  }

  /// The answer to a line.
  func answer(_ line: String, on eventLoop: any EventLoop) -> ControlAnswer {
    let words = line.split(separator: " ").map(String.init)
    switch (words.first, words.count) {
    case (nil, _): return .now("")
    case ("quit", _): return .now(nil)
    case ("help", _): return .now(Self.help)
    case ("auth", 2): return .now(authenticate(words[1]))
    case ("stats", 1): return requires(.user) { .now(stats) }
    case ("sockets", 1): return requires(.user) { .now(sockets) }
    case ("server-info", 1): return requires(.user) { info(eventLoop) }
    case ("clients", 1): return requires(.admin) { .now(clients) }
    case ("suspend", 1): return requires(.admin) { .now(setAccepting(false)) }
    case ("resume", 1): return requires(.admin) { .now(setAccepting(true)) }
    case ("trust-clock", 1): return requires(.admin) { .now(trustClock()) }
    case ("save", 1): return requires(.admin) { .now("server state is always saved") }
    case ("status", 2): return requires(.user) { withQueue(words[1], on: eventLoop) { self.status($0) } }
    case ("delete", 2): return requires(.admin) { withQueue(words[1], on: eventLoop) { self.delete($0) } }
    case ("block", 3): return requires(.user) { withQueue(words[1], on: eventLoop) { self.block($0, words[2]) } }
    case ("unblock", 2): return requires(.user) { withQueue(words[1], on: eventLoop) { self.unblock($0) } }
    case (let word?, _):
      guard let usage = Self.usage(of: word) else { return .now("error: bad command; help lists the commands") }
      return .now("error: usage: \(usage)")
    }
  }

  private func authenticate(_ password: String) -> String {
    let settings = settings.value
    return access.authenticate(
      &role, password: password, admin: settings.adminPassword, user: settings.userPassword)
  }

  private func requires(_ needed: ControlRole, _ body: () -> ControlAnswer) -> ControlAnswer {
    guard role < needed else { return body() }
    return .now(
      "AUTH: this command needs the \(needed == .admin ? "admin" : "user or the admin") password; auth PASSWORD first")
  }

  private var stats: String {
    ServerEvent.allCases.map { "\($0): \(server.statistics.value($0))" }.joined(separator: "\n")
  }

  private func info(_ eventLoop: any EventLoop) -> ControlAnswer {
    read([.counts], on: eventLoop) { [server] answers in
      let gauges: Gauges
      switch answers.first?.counts {
      case .success(let stored)?: gauges = Gauges(server, stored: stored)
      case .failure(let failure)?: return "error: \(failure.sentence)"
      case nil: return "error: no answer"
      }
      return """
        Clients: \(gauges.connections)
        SMP subscriptions: \(gauges.subscriptions)
        Ntf subscriptions: \(gauges.notifierSubscriptions)
        Notifications waiting: \(gauges.notifications)
        Queues: \(gauges.stored.queues)
        Messages: \(gauges.stored.messages)
        """
    }
  }

  /// Answers with what the store has, when it is read.
  private func read(
    _ reads: [StoreRead], on eventLoop: any EventLoop, _ body: @escaping ([StoreAnswer]) -> String
  ) -> ControlAnswer {
    let promise = eventLoop.makePromise(of: [StoreAnswer].self)
    server.relay.store.read(reads) { answers, _ in promise.succeed(answers) }
    return .later(promise.futureResult.assumeIsolated().map { String?.some(body($0)) }.nonisolated())
  }

  private var sockets: String {
    zip(server.ports, server.connectionCounts).map { port, counts in
      "Sockets for port \(port):\naccepted: \(counts.accepted)\nrefused: \(counts.refused)\nactive: \(counts.open)"
    }.joined(separator: "\n")
  }

  private var clients: String {
    let lines = server.relay.openSessions.map { session in
      let active = session.activeAt.load(ordering: .relaxed)
      return "\(session.identifier),\(session.createdAt),\(active),\(steadySeconds() - session.createdAt)"
    }
    return (["sessionId,createdAt,activeAt,age"] + lines).joined(separator: "\n")
  }

  private func setAccepting(_ isAccepting: Bool) -> String {
    server.relay.isAcceptingQueues.store(isAccepting, ordering: .relaxed)
    return isAccepting ? "ok, new queues are accepted" : "ok, new queues are refused"
  }

  private func trustClock() -> String {
    server.trustClock() ? "ok, what is too old is deleted from now on" : "ok, the clock was not doubted"
  }

  // MARK: Queues

  /// Finds a queue by the identifier of its sender or of its link, in base64url.
  private func withQueue(
    _ text: String, on eventLoop: any EventLoop, _ body: @escaping (QueueRecord) -> String
  ) -> ControlAnswer {
    guard let id = Base64URL.decode(Array(text.utf8)) else {
      return .now("error: bad queue identifier; it is base64url, as in the queue's address")
    }
    return read([.queue(.sender(id)), .queue(.link(id))], on: eventLoop) { answers in
      do throws(StoreFailure) {
        for answer in answers { if let queue = try answer.queue.get().record { return body(queue) } }
        return "error: AUTH, there is no queue with this identifier"
      } catch {
        return "error: \(error.sentence)"
      }
    }
  }

  private func status(_ queue: QueueRecord) -> String {
    let date = UTCTime(seconds: queue.usedDay * 86_400)?.description.prefix(10) ?? "unknown"
    return "status: \(queue.status.text), updatedAt: \(date), queueMode: \(queue.mode.map { "\($0)" } ?? "none")"
  }

  private func delete(_ queue: QueueRecord) -> String {
    let relay = server.relay
    relay.store.submit(.deleteQueue(queue.number)) { outcome in
      // As it was deleted: it may have changed since it was found.
      guard case .success(.deleted(let queue, _)) = outcome else { return }
      relay.statistics.count(queue.senderKey == nil ? .queueDeletedNew : .queueDeletedSecured)
      relay.update(queue.number) { $0.queueDeleted(queue, by: nil) }
    }
    return "ok, queue is being deleted"
  }

  private func block(_ queue: QueueRecord, _ text: String) -> String {
    guard let info = try? BlockingInfo.codec.decode(text: text), let stored = try? BlockingInfo.codec.encode(info)
    else {
      return "error: bad blocking information, for example: reason=spam"
    }
    guard queue.status == .active else { return "ok, already inactive: \(queue.status.text)" }
    guard takeBlock() else { return "error: reached limit of \(settings.value.dailyBlockQuota) queues blocked daily" }
    let relay = server.relay
    relay.store.submit(.setStatus(queue.number, .blocked(stored))) { outcome in
      guard outcome == .success(.done) else { return }
      relay.update(queue.number) { $0.queueBlocked(queue, stored) }
    }
    return "ok, queue is being blocked: \(text)"
  }

  private func takeBlock() -> Bool {
    let quota = settings.value.dailyBlockQuota
    return Self.blocked.withLock { blocked in
      if blocked.day != currentDay() { blocked = (currentDay(), 0) }
      guard quota == 0 || blocked.count < quota else { return false }
      blocked.count += 1
      return true
    }
  }

  private func unblock(_ queue: QueueRecord) -> String {
    switch queue.status {
    case .active: return "ok, queue was active"
    case .off: return "error, queue is inactive"
    case .blocked:
      server.relay.store.submit(.setStatus(queue.number, .active)) { _ in }
      return "ok, queue is being unblocked, it was: \(queue.status.text)"
    }
  }
}

extension QueueRecord.Status {
  fileprivate var text: String {
    switch self {
    case .active: "active"
    case .off: "off"
    case .blocked(let information): "blocked " + String(decoding: information, as: UTF8.self)
    }
  }
}
