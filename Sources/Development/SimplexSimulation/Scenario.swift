import AgentCore
import AgentEngine

/// A run of whole agents and relays that follows from a seed: people connect and talk in bad weather; then it calms
/// down, and everything has to come to its end.
public final class Scenario {
  /// What happens in a scenario, besides connecting and talking.
  public struct Plan: Sendable {
    /// How bad the network is; nil for what the seed says.
    public var weather: Weather?
    /// How many messages are sent, about.
    public var messages = 0...30
    /// How many pairs connect.
    public var friendships = 1...2
    /// How many messages a queue takes.
    public var quota = 2...16
    /// Whether queues are replaced.
    public var rotatesQueues = false
    /// Whether replacing queues is given up again, where that is possible.
    public var abortsRotation = false
    /// Whether relays delete messages that wait for long.
    public var expiresMessages = false
    /// Whether ratchets are renegotiated.
    public var synchronizesRatchets = false
    /// Whether connections are deleted in the end.
    public var deletes = true

    /// The usual plan.
    public init() {}
  }

  /// The longest time, in virtual milliseconds, in which everything has to come to its end.
  static let patience: Int64 = 3 * 86_400_000

  /// The world it happens in.
  public let world: World
  /// Who takes part.
  public private(set) var people: [Person] = []
  /// Who connects with whom.
  public private(set) var friendships: [Friendship] = []
  private let plan: Plan
  private var plannedActions = 0
  private var isExpiryOver = false

  /// A scenario that has not begun.
  public init(seed: UInt64, _ plan: Plan = Plan()) throws {
    self.plan = plan
    world = World(seed: seed, weather: plan.weather)
    let quota = Int.random(in: plan.quota, using: &world.random)
    let relays = (0..<Int.random(in: 1...3, using: &world.random)).map { _ in world.addRelay(quota: quota) }
    for name in ["alice", "bob", "carol"].prefix(Int.random(in: 2...3, using: &world.random)) {
      people.append(try Person(name, relays: relays, world: world))
    }
  }

  /// Runs it to its end, once; returns the violations.
  public func run() -> [String] {
    // Planned closures retain everybody.
    defer { world.removePlans() }
    world.startWeather()
    connect()
    guard isReached("everybody is connected", { friendships.allSatisfy(\.isConnected) }) else {
      return world.violations
    }
    if plan.expiresMessages { expireMessages() }
    talk()
    guard isReached("everything was said", { plannedActions == 0 }) else { return world.violations }
    world.calmDown()
    if plan.expiresMessages, !isHeardAgain() { return world.violations }
    guard isReached("everything arrived", { isQuiet }) else { return world.violations }
    replaceAfterAll()
    guard isReached("everything is in order", { isQuiet }) else { return world.violations }
    checkEnd()
    if plan.deletes { delete() }
    return world.violations
  }

  private func isReached(_ what: String, _ condition: () -> Bool) -> Bool {
    var checkedAt = Int64.min
    let isReached = world.run(limit: Self.patience) {
      // Looking takes time, so once in a virtual second is enough.
      guard world.now >= checkedAt + 1_000 else { return false }
      checkedAt = world.now
      return condition()
    }
    if !isReached, world.violations.isEmpty { world.violate("not reached: \(what); \(state)") }
    return isReached
  }

  private var state: String {
    let tasks = people.map { "\($0.name): \($0.agent.taskCount) tasks, running \($0.agent.isRunning)" }
    let relays = world.relays.values.map { "\($0.name): \($0.messageCount) messages" }
    let conversations = allConversations.compactMap { conversation in
      conversation.missing.map { "\(conversation.name) misses \($0) of \(conversation.peer?.name ?? "-")" }
    }
    return (tasks + relays.sorted() + unsettled + conversations + friendships.filter { !$0.isConnected }.map(\.state))
      .joined(separator: "; ")
  }

  private var allConversations: [Conversation] {
    people.flatMap { $0.conversations.values.sorted { $0.name < $1.name } }
  }

  // MARK: What happens

  private func connect() {
    for number in 0..<Int.random(in: plan.friendships, using: &world.random) {
      let pair = people.shuffled(using: &world.random)
      let way = Friendship.Way(using: &world.random)
      friendships.append(Friendship("f\(number)", inviter: pair[0], joiner: pair[1], way: way, world: world))
    }
  }

  private func talk() {
    let count = Int.random(in: plan.messages, using: &world.random)
    for _ in 0..<count { act(after: 60_000) { [self] in say() } }
    if plan.rotatesQueues {
      for _ in 0..<Int.random(in: 1...3, using: &world.random) { act(after: 60_000) { [self] in rotate() } }
    }
    if plan.abortsRotation {
      for _ in 0..<Int.random(in: 1...3, using: &world.random) { act(after: 60_000) { [self] in abortRotation() } }
    }
    if plan.synchronizesRatchets {
      for _ in 0..<Int.random(in: 1...3, using: &world.random) { act(after: 60_000) { [self] in synchronize() } }
    }
    if Bool.random(using: &world.random) {
      act(after: 60_000) { [self] in people.randomElement(using: &world.random)?.agent.crash() }
    }
    if Bool.random(using: &world.random) { act(after: 60_000) { [self] in rest() } }
  }

  /// The device loses its network, or the application is put to sleep, and it comes back.
  private func rest() {
    guard let agent = people.randomElement(using: &world.random)?.agent else { return }
    let isNetwork = Bool.random(using: &world.random)
    _ = agent.run { (engine) throws(AgentError) in
      if isNetwork { return try engine.setNetwork(online: false, now: world.now) }
      return try engine.suspend(timeout: 1_000, now: world.now)
    }
    act(after: 60_000) { [self] in
      // A process that died meanwhile is online and active when it starts again.
      _ = agent.run { (engine) throws(AgentError) in
        if isNetwork { return try engine.setNetwork(online: true, now: world.now) }
        return try engine.activate(now: world.now)
      }
    }
  }

  private func act(after limit: Int64, _ body: @escaping () -> Void) {
    plannedActions += 1
    world.after(Int64.random(in: 0...limit, using: &world.random)) { [self] in
      plannedActions -= 1
      body()
    }
  }

  private func anyone() -> (Person, Conversation)? {
    guard let friendship = friendships.randomElement(using: &world.random) else { return nil }
    let isInviter = Bool.random(using: &world.random)
    let person = isInviter ? friendship.inviter : friendship.joiner
    let conversation = isInviter ? friendship.inviterConversation : friendship.joinerConversation
    return conversation.map { (person, $0) }
  }

  private func say() {
    guard let (person, conversation) = anyone() else { return }
    if world.random.happens(percent: 20) {
      person.send(Int.random(in: 2...12, using: &world.random), in: conversation)
    } else {
      person.send(in: conversation)
    }
  }

  private func rotate() {
    guard let (person, conversation) = anyone(), person.agent.isRunning else { return }
    conversation.mayReorder = true
    _ = person.agent.run { (engine) throws(AgentError) in
      try engine.switchQueue(conversation.connection, waiting: .event(nil), now: world.now)
    }
  }

  /// Begins to replace a queue, and thinks better of it soon.
  private func abortRotation() {
    guard let (person, conversation) = anyone(), person.agent.isRunning else { return }
    conversation.mayReorder = true
    _ = person.agent.run { (engine) throws(AgentError) in
      try engine.switchQueue(conversation.connection, waiting: .event(nil), now: world.now)
    }
    act(after: world.random.happens(percent: 50) ? 300 : 10_000) { [self] in
      // Refused where it is too late.
      let outcome = person.agent.run { (engine) throws(AgentError) in
        try engine.abortSwitch(conversation.connection, now: world.now)
      }
      switch outcome {
      case .done: conversation.wasKept = true
      case .crashed: conversation.wasKept = true
      case .failed: break
      }
    }
  }

  /// Queues that were kept are replaced now, which leaves nothing of earlier attempts.
  private func replaceAfterAll() {
    for person in people {
      for conversation in person.conversations.values.sorted(by: { $0.name < $1.name }) where conversation.wasKept {
        let outcome = person.agent.run { (engine) throws(AgentError) in
          try engine.switchQueue(conversation.connection, waiting: .event(nil), now: world.now)
        }
        conversation.wasKept = false
        if case .failed(let error) = outcome { world.violate("\(conversation.name) cannot be replaced: \(error)") }
      }
    }
  }

  /// Relays delete what waits for longer than a few seconds, again and again while there is weather.
  private func expireMessages() {
    for conversation in allConversations { conversation.mayExpire = true }
    let age = Int64.random(in: 2_000...20_000, using: &world.random)
    func again() {
      world.after(Int64.random(in: 1_000...10_000, using: &world.random)) { [self] in
        guard !isExpiryOver else { return }
        for relay in world.relays.values.sorted(by: { $0.name < $1.name }) {
          relay.expireMessages(before: world.now - age)
        }
        again()
      }
    }
    again()
  }

  /// Whatever was deleted: what is said now arrives.
  private func isHeardAgain() -> Bool {
    isExpiryOver = true
    for friendship in friendships {
      let pairs = [
        (friendship.inviter, friendship.inviterConversation), (friendship.joiner, friendship.joinerConversation),
      ]
      for case (let person, let conversation?) in pairs {
        guard isReached("\(person.name) is there", { person.agent.isRunning }) else { return false }
        let attempt = conversation.attempts.count
        person.send(in: conversation)
        guard
          isReached(
            "\(conversation.name) is heard",
            { conversation.peer?.received.contains { $0.attempt == attempt } ?? false })
        else { return false }
      }
    }
    return true
  }

  private func synchronize() {
    guard let friendship = friendships.randomElement(using: &world.random) else { return }
    // One side asks, or both at about the same time, or one again and again.
    for _ in 0..<Int.random(in: 1...3, using: &world.random) {
      let isInviter = Bool.random(using: &world.random)
      let person = isInviter ? friendship.inviter : friendship.joiner
      act(after: 2_000) { [self] in
        guard let conversation = isInviter ? friendship.inviterConversation : friendship.joinerConversation else {
          return
        }
        synchronize(person, conversation)
      }
    }
  }

  private func synchronize(_ person: Person, _ conversation: Conversation) {
    // Messages that are on their way cannot be decrypted with the new ratchet.
    conversation.hasGaps = true
    conversation.peer?.hasGaps = true
    _ = person.agent.run { (engine) throws(AgentError) in
      try engine.synchronizeRatchet(conversation.connection, pq: true, force: true, now: world.now)
    }
  }

  // MARK: How it has to end

  private var isQuiet: Bool {
    people.allSatisfy { $0.agent.isRunning && $0.agent.taskCount == 0 }
      && world.relays.values.allSatisfy { $0.messageCount == 0 }
      && allConversations.allSatisfy { $0.isComplete || $0.mayLose } && unsettled.isEmpty
  }

  /// What is not as it has to be with connections that work.
  private var unsettled: [String] {
    var problems: [String] = []
    for person in people where person.agent.isRunning {
      for conversation in person.conversations.values.sorted(by: { $0.name < $1.name }) where conversation.isConnected {
        problems += unsettled(person, conversation)
      }
    }
    return problems
  }

  private func unsettled(_ person: Person, _ conversation: Conversation) -> [String] {
    let outcome = person.agent.run { (engine) throws(AgentError) in
      try engine.connectionStats(conversation.connection)
    }
    guard case .done(let stats) = outcome else { return ["\(person.name) cannot look: \(outcome)"] }
    var problems: [String] = []
    if stats.ratchetSync != .ok { problems.append("\(conversation.name) has ratchet \(stats.ratchetSync)") }
    if stats.subscription != .active {
      problems.append("\(conversation.name) has subscription \(stats.subscription as Any)")
    }
    let mayBeOffered = conversation.peer?.wasKept == true ? 1 : 0
    if stats.receiveQueues.count != 1 || !(1...1 + mayBeOffered).contains(stats.sendQueues.count) {
      problems.append("\(conversation.name) has queues \(stats.receiveQueues) \(stats.sendQueues)")
    }
    return problems
  }

  private func checkEnd() {
    for relay in world.relays.values where relay.longestQueue > relay.quota + 1 {
      world.violate("\(relay.name) has a queue with \(relay.longestQueue) messages")
    }
    for person in people {
      let problems = person.errors.filter { error in
        // What is said about a queue that has been replaced meanwhile is of no use any more.
        if plan.rotatesQueues || plan.abortsRotation, case .peer(.queue) = error { return false }
        if plan.abortsRotation, case .prohibited = error { return false }
        return !error.isTemporary
      }
      if !problems.isEmpty, !plan.synchronizesRatchets { world.violate("\(person.name) was told \(problems)") }
      for conversation in person.conversations.values where conversation.isConnected { checkCode(person, conversation) }
    }
  }

  private func checkCode(_ person: Person, _ conversation: Conversation) {
    let outcome = person.agent.run { (engine) throws(AgentError) in
      try engine.verificationCode(conversation.connection)
    }
    guard case .done(let code) = outcome else {
      return world.violate("\(person.name) cannot look at \(conversation.name): \(outcome)")
    }
    if let other = codes.updateValue(code, forKey: conversation.name), other != code { world.violate("codes changed") }
    if let peer = conversation.peer, let other = codes[peer.name], other != code {
      world.violate("\(conversation.name) and \(peer.name) have different codes")
    }
  }

  private var codes: [String: [UInt8]] = [:]

  private func delete() {
    for person in people {
      person.conversations.values.forEach { $0.isDeleted = true }
      let outcome = person.agent.run { (engine) throws(AgentError) in
        try engine.delete(person.agent.connectionIDs, now: world.now)
      }
      if case .failed(let error) = outcome { world.violate("\(person.name) cannot delete: \(error)") }
    }
    _ = isReached(
      "everything was deleted",
      { people.allSatisfy { $0.agent.taskCount == 0 && $0.agent.number("SELECT count(*) FROM connections") == 0 } })
    // Queues whose creation was not answered stay, because no agent knows them.
    let rest = world.relays.values.reduce(0) { $0 + $1.queueCount }
    let isCalm = plan.weather == .calm
    if world.violations.isEmpty, isCalm, rest > 0 { world.violate("\(rest) queues are left on relays") }
    for table in Self.perConnectionTables {
      for person in people {
        let rows = person.agent.number("SELECT count(*) FROM \(table)")
        if rows > 0, world.violations.isEmpty { world.violate("\(person.name) has \(rows) rows left in \(table)") }
      }
    }
  }

  private static let perConnectionTables = [
    "receive_queues", "send_queues", "ratchets", "skipped_keys", "received_messages", "tasks", "message_bodies",
    "confirmations", "invitations WHERE is_accepted = 1",
  ]
}
