import AgentCore
import AgentEngine
import AgentProtocol
import SMPProtocol

/// Two people who want to be connected, and try again until they are. What they wrote down survives crashes.
public final class Friendship {
  /// How they connect.
  public struct Way: Hashable, Sendable {
    /// By an address; otherwise by an invitation.
    public var isAddress: Bool
    /// By a short link; otherwise by a full one.
    public var isShort: Bool
    /// By operations that do not wait for the network.
    public var isAsync: Bool
    /// With post-quantum keys.
    public var isPostQuantum: Bool

    /// Any way.
    public init(using random: inout SimulationRandom) {
      isAddress = Bool.random(using: &random)
      isShort = Bool.random(using: &random)
      isAsync = Bool.random(using: &random)
      isPostQuantum = Bool.random(using: &random)
    }

    /// A way.
    public init(isAddress: Bool, isShort: Bool, isAsync: Bool, isPostQuantum: Bool) {
      self.isAddress = isAddress
      self.isShort = isShort
      self.isAsync = isAsync
      self.isPostQuantum = isPostQuantum
    }
  }

  /// Who makes the invitation or the address.
  public let inviter: Person
  /// Who follows it.
  public let joiner: Person
  /// How they connect.
  public let way: Way
  /// What the inviter knows of the connection, once they do.
  public private(set) var inviterConversation: Conversation?
  /// What the joiner knows of the connection, once they do.
  public private(set) var joinerConversation: Conversation?

  private let world: World
  private let name: String
  private var link: CreatedLink?
  private var request: ConnectionRequest?
  /// The identifiers of connections, which are drawn before the agent is asked, so that asking can be repeated.
  private let linkID: ConnectionID
  private let acceptedID: ConnectionID
  private let joinedID: ConnectionID
  /// The connection of the link: the inviter's side, or an address.
  private var linkConnection: ConnectionID?
  private var hasJoined = false
  /// An operation is under way, in a life of a process.
  private var isBusy: [ObjectIdentifier: Bool] = [:]
  private var hasAccepted = false
  private var invitation: InvitationID?

  /// Begins at once.
  public init(_ name: String, inviter: Person, joiner: Person, way: Way, world: World) {
    self.name = name
    self.inviter = inviter
    self.joiner = joiner
    self.way = way
    self.world = world
    var random = SharedRandom(world.random.fork())
    linkID = ConnectionID(using: &random)
    acceptedID = ConnectionID(using: &random)
    joinedID = ConnectionID(using: &random)
    tryAgain()
  }

  /// Whether both sides know that it works.
  public var isConnected: Bool {
    inviterConversation?.isConnected == true && joinerConversation?.isConnected == true
  }

  /// What it waits for, for messages about failures.
  public var state: String {
    "\(name) \(way): link \(link != nil), request \(request != nil), joined \(hasJoined), invitation \(invitation != nil), "
      + "accepted \(hasAccepted), connected \(inviterConversation?.isConnected ?? false) \(joinerConversation?.isConnected ?? false)"
  }

  private var options: ConnectionOptions { ConnectionOptions(pq: way.isPostQuantum) }

  private func tryAgain() {
    guard !isConnected else { return }
    if inviter.agent.isRunning, isBusy[ObjectIdentifier(inviter)] != true { inviterStep() }
    if joiner.agent.isRunning, isBusy[ObjectIdentifier(joiner)] != true { joinerStep() }
    world.after(Int64.random(in: 200...2_000, using: &world.random)) { [self] in tryAgain() }
  }

  /// Runs an operation that waits for the network; one at a time for each person.
  private func call<Value>(
    of person: Person, body: (AgentMachine) throws(AgentError) -> Accepted<Value>, id: (Value) -> CallID?,
    isDoneAlready: (() -> Void)? = nil, done: @escaping (Value, CallOutcome) -> Void
  ) {
    isBusy[ObjectIdentifier(person)] = true
    person.agent.call(body, call: id) { [self] outcome in
      isBusy[ObjectIdentifier(person)] = false
      switch outcome {
      case .done(let (value, result)): done(value, result)
      case .failed(.prohibited) where isDoneAlready != nil: isDoneAlready?()
      case .failed(let error): refused(error, person)
      case .crashed: break
      }
    }
  }

  private func refused(_ error: AgentError, _ person: Person) {
    world.log("\(person.name) \(name): \(error)")
    if !error.isTemporary { world.violate("\(person.name) cannot go on with \(name): \(error)") }
  }

  // MARK: The inviter

  private func inviterStep() {
    if link == nil { return createLink() }
    if way.isAddress, invitation != nil, !hasAccepted { accept() }
  }

  private func createLink() {
    let linkData =
      way.isShort
      ? UserLinkData(
        agentVersions: AgentVersion.supported,
        kind: way.isAddress ? .contact(ContactLinkData(isDirect: true)) : .invitation,
        content: Array("profile of \(inviter.name)".utf8)) : nil
    let mode = way.isAddress ? ConnectionMode.contact : .invitation
    if way.isAsync {
      if linkConnection != nil { return }
      let tag = CorrelationTag(Array(name.utf8))
      inviter.onTag[tag] = { [unowned self] event in
        // After a crash the first attempt may come to light when there has been another.
        if case .created(let link) = event.kind, let connection = event.connection, self.link == nil {
          created(connection, link)
        }
        return true
      }
      let outcome = inviter.agent.run { (engine) throws(AgentError) in
        try engine.createConnection(
          inviter.user, connection: linkID, mode: mode, linkData: linkData, options: options, waiting: .event(tag),
          now: world.now)
      }
      switch outcome {
      case .done(let value): linkConnection = value.connection
      case .failed(let error): refused(error, inviter)
      case .crashed: break
      }
      return
    }
    call(
      of: inviter,
      body: { (engine) throws(AgentError) in
        try engine.createConnection(
          inviter.user, connection: linkID, mode: mode, linkData: linkData, options: options, now: world.now)
      }, id: { $0.call }
    ) { [self] value, outcome in
      guard case .created(_, let link) = outcome else { return world.violate("creating gave \(outcome)") }
      created(value.connection, link)
    }
  }

  private func created(_ connection: ConnectionID, _ link: CreatedLink) {
    world.log("\(inviter.name) has the link of \(name)")
    linkConnection = connection
    self.link = link
    if (link.short != nil) != way.isShort { world.violate("the short link is \(link.short as Any)") }
    inviter.onHandshake[connection] = { [unowned self] in inviterEvent($0) }
    if !way.isAddress { setInviterConversation(connection) }
  }

  private func setInviterConversation(_ connection: ConnectionID) {
    let conversation = Conversation(connection, name: "\(name)/\(inviter.name)")
    inviterConversation = conversation
    inviter.add(conversation)
    introduce()
  }

  private func introduce() {
    inviterConversation?.peer = joinerConversation
    joinerConversation?.peer = inviterConversation
  }

  /// Gives false for what has to come again.
  private func inviterEvent(_ event: AgentEvent) -> Bool {
    switch event.kind {
    case .confirmation(let confirmation, _, _, let info):
      if info != Array("info of \(joiner.name)".utf8) { world.violate("the joiner's information is \(info)") }
      return allow(confirmation, of: event.connection, by: inviter)
    case .request(let invitation, _, _, _):
      if self.invitation == nil { self.invitation = invitation }
      return true
    default: return true
    }
  }

  private func allow(_ confirmation: ConfirmationID, of connection: ConnectionID?, by person: Person) -> Bool {
    guard let connection else { return true }
    let outcome = person.agent.run { (engine) throws(AgentError) in
      try engine.allow(connection, confirmation, info: Array("info of \(person.name)".utf8), now: world.now)
    }
    switch outcome {
    case .done: return true
    // It was allowed before a crash, which the application did not learn.
    case .failed(.prohibited), .failed(.connection(.notFound)): return true
    case .failed(let error):
      refused(error, person)
      return true
    case .crashed: return false
    }
  }

  private func accept() {
    guard let invitation else { return }
    if inviterConversation == nil { setInviterConversation(acceptedID) }
    let connection = acceptedID
    let info = Array("info of \(inviter.name)".utf8)
    if way.isAsync {
      let outcome = inviter.agent.run { (engine) throws(AgentError) in
        try engine.acceptContact(
          inviter.user, connection: connection, invitation, info: info, options: options, waiting: .event(nil),
          now: world.now)
      }
      switch outcome {
      case .done, .failed(.prohibited): hasAccepted = true
      case .failed(let error): refused(error, inviter)
      case .crashed: break
      }
      return
    }
    call(
      of: inviter,
      body: { (engine) throws(AgentError) in
        try engine.acceptContact(
          inviter.user, connection: connection, invitation, info: info, options: options, now: world.now)
      }, id: { $0.call },
      // The agent went on with it after a crash.
      isDoneAlready: { [self] in hasAccepted = true }
    ) { [self] _, _ in hasAccepted = true }
  }

  // MARK: The joiner

  private func joinerStep() {
    guard let link, !hasJoined else { return }
    if let request { return join(request) }
    guard let short = link.short else {
      request = link.full
      return
    }
    call(
      of: joiner,
      body: { (engine) throws(AgentError) in try engine.getLinkData(joiner.user, short, now: world.now) },
      id: { $0 }
    ) { [self] _, outcome in
      guard case .linkData(let request, let content) = outcome else { return world.violate("a link gave \(outcome)") }
      if content.user.content != Array("profile of \(inviter.name)".utf8) { world.violate("a link shows \(content)") }
      self.request = request
    }
  }

  private func join(_ request: ConnectionRequest) {
    if joinerConversation == nil {
      let connection = joinedID
      let conversation = Conversation(connection, name: "\(name)/\(joiner.name)")
      joinerConversation = conversation
      joiner.add(conversation)
      introduce()
      joiner.onHandshake[connection] = { [unowned self] event in
        guard case .confirmation(let confirmation, _, _, _) = event.kind else { return true }
        return allow(confirmation, of: event.connection, by: joiner)
      }
    }
    guard let connection = joinerConversation?.connection else { return }
    let info = Array("info of \(joiner.name)".utf8)
    if way.isAsync {
      let outcome = joiner.agent.run { (engine) throws(AgentError) in
        try engine.join(
          joiner.user, connection: connection, request, info: info, options: options, waiting: .event(nil),
          now: world.now)
      }
      switch outcome {
      case .done, .failed(.prohibited): hasJoined = true
      case .failed(let error): refused(error, joiner)
      case .crashed: break
      }
      return
    }
    call(
      of: joiner,
      body: { (engine) throws(AgentError) in
        try engine.join(joiner.user, connection: connection, request, info: info, options: options, now: world.now)
      }, id: { $0.call }, isDoneAlready: { [self] in hasJoined = true }
    ) { [self] _, _ in hasJoined = true }
  }
}
