import AgentCore
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import SMPProtocol

// Sending to members of groups. The body of a message is stored once for all members that get it in the same form.

/// An event for members of a group, with the item that shows it.
struct OutgoingGroupEvent {
  var id = SharedMsgId.random()
  var event: ChatMessageEvent
  /// The item that shows it, a database id; nil for none.
  var item: Int64?
}

extension Turn {
  /// Sends events to members of a group.
  /// - Parameter overtakesHeld: whether they go before what is held until all others are introduced to a member.
  func send(
    _ events: [OutgoingGroupEvent], to members: [GroupMember], of group: GroupInfo, overtakesHeld: Bool = false
  ) throws {
    guard !events.isEmpty, !members.isEmpty else { return }
    let encoded = try encode(events, signedBy: try signature(in: group))
    let packed = MessageBatch.pack(encoded, form: group.topology.batchForm)
    guard packed.tooLarge.isEmpty else { throw StoreError.largeMsg }
    if isRehearsing { return }
    var batches = StoredBodies(packed.batches.map { ($0.body, $0.elements) })
    var singles = StoredBodies(encoded.indices.map { (encoded[$0], $0..<($0 + 1)) })
    let items = events.compactMap(\.item)
    for member in members.sorted(by: group.topology.precedes) {
      let status: GroupSndStatus
      switch try route(events, to: member, of: group, among: members, overtakesHeld: overtakesHeld) {
      case .none: continue
      case .send(let isBatched):
        guard let connection = member.activeConn else { continue }
        // Several messages may be too long together for a post-quantum ratchet, where each of them is not.
        if isBatched, batches.fit(connection) {
          try send(&batches, of: events, by: connection)
        } else {
          try send(&singles, of: events, by: connection)
        }
        status = .new
      case .wait(let isHeld):
        for index in singles.indices {
          try rows.addPending(
            packet: try singles.stored(index, in: rows).packet, notifies: events[index].event.notifies,
            item: events[index].item, isHeld: isHeld, forMember: member.groupMemberId)
        }
        status = .inactive
      case .forwarded: status = .forwarded
      }
      for item in items { try rows.addRecipient(member.groupMemberId, ofItem: item, status: status) }
    }
  }

  /// Sends what others wrote; an event that is too large for one message is left out.
  func sendFitting(
    _ events: [OutgoingGroupEvent], to members: [GroupMember], of group: GroupInfo, overtakesHeld: Bool = false
  ) throws {
    try send(events.filter { fits($0.event) }, to: members, of: group, overtakesHeld: overtakesHeld)
  }

  /// Whether an event fits into one message.
  func fits(_ event: ChatMessageEvent) -> Bool {
    guard let encoded = try? encode([OutgoingGroupEvent(event: event)]) else { return false }
    return MessageBatch.pack(encoded, form: .json).tooLarge.isEmpty
  }

  /// Sends one event that no item shows.
  @discardableResult
  func send(_ event: ChatMessageEvent, to members: [GroupMember], of group: GroupInfo) throws -> SharedMsgId {
    let event = OutgoingGroupEvent(event: event)
    try send([event], to: members, of: group)
    return event.id
  }

  /// Sends events over a member's connection, whatever its state.
  func send(_ events: [ChatMessageEvent], over connection: Connection) throws {
    try send(events.map { OutgoingGroupEvent(event: $0) }, over: connection)
  }

  /// Sends events over a member's connection, whatever its state; those that are too large are left out.
  func send(_ events: [OutgoingGroupEvent], over connection: Connection) throws {
    let packed = MessageBatch.pack(try encode(events), form: .json)
    var bodies = StoredBodies(packed.batches.map { ($0.body, $0.elements) })
    try send(&bodies, of: events, by: connection)
  }

  /// Sends the messages that waited until something can be sent to a member; if they are many, some now and the others
  /// in later turns.
  func sendPending(to member: GroupMember, of user: User) throws {
    if try !sendSomePending(to: member) { try later(.pending, about: member.groupMemberId, of: user) }
  }

  /// Sends the first of the messages that waited until something can be sent to a member.
  /// - Returns: whether that was all that can be sent.
  func sendSomePending(to member: GroupMember) throws -> Bool {
    guard let connection = member.sendingConnection, try rows.hasPending(member: member.groupMemberId) else {
      return true
    }
    let limit = environment.options.membersPerTurn
    let messages = try rows.pending(ofMember: member.groupMemberId, limit: limit)
    for message in messages {
      let body = connection.form(of: message.body)
      // What ends a connection waits only where nothing was received over it yet, so that no receipts are owed.
      let id = try command(
        .send(notify: message.notifies, pq: connection.pqEncryption, receiptsFirst: false), for: connection.agentConnId,
        body: body, packet: body == message.body ? message.packet : nil)
      if let item = message.item {
        try rows.addDelivery(command: id, items: [item])
        _ = try rows.setRecipientStatus(.new, ofItem: item, member: member.groupMemberId)
      }
      try rows.removePending(message, ofMember: member.groupMemberId)
    }
    return messages.count < limit
  }

  // MARK: Bodies

  /// The events as elements of a batch. Those that have to be signed in a channel are.
  private func encode(
    _ events: [OutgoingGroupEvent], signedBy signature: MemberSignature? = nil
  ) throws -> [[UInt8]] {
    do throws(ChatProtocolError) {
      var encoded: [[UInt8]] = []
      for event in events {
        let message = ChatMessage(chatVRange: environment.options.chatVersions, msgId: event.id, event: event.event)
        let body = try MessageBody.encode(message)
        let isSigned = event.event.requiresSignature
        encoded.append(try isSigned ? signature?.element(body) ?? body : body)
      }
      return encoded
    } catch {
      throw StoreError.largeMsg
    }
  }

  private func send(_ bodies: inout StoredBodies, of events: [OutgoingGroupEvent], by connection: Connection) throws {
    for index in bodies.indices {
      let elements = events[bodies.elements(index)]
      let (body, packet) = try bodies.stored(index, for: connection, in: rows)
      let notifies = elements.contains { $0.event.notifies }
      let receiptsFirst = elements.contains { $0.event.sendsReceiptsFirst }
      let id = try command(
        .send(notify: notifies, pq: connection.pqEncryption, receiptsFirst: receiptsFirst),
        for: connection.agentConnId, body: body, packet: packet)
      let items = elements.compactMap(\.item)
      if !items.isEmpty { try rows.addDelivery(command: id, items: items) }
    }
  }

  /// The way in which events reach a member.
  private func route(
    _ events: [OutgoingGroupEvent], to member: GroupMember, of group: GroupInfo, among members: [GroupMember],
    overtakesHeld: Bool
  ) throws -> GroupRoute {
    let waiting = try rows.waiting(forMember: member.groupMemberId)
    let introducer = group.topology.introducer(of: member, to: group.membership)
    return group.topology.route(
      GroupTraffic(
        isLast: events.contains { $0.event.isLast(for: member.memberId, from: group.membership.memberId) },
        isForwarded: events.allSatisfy(\.event.isForwarded),
        hasForwards: events.contains { if case .grpMsgForward = $0.event { true } else { false } }),
      to: member,
      after: GroupBacklog(isHeld: waiting.isHeld && !overtakesHeld, hasPending: waiting.hasPending),
      introducedBy: introducer.flatMap { id in members.first { $0.groupMemberId == id } })
  }
}

extension ChatMessageEvent {
  /// Whether the connection with the member who gets it is deleted after it.
  /// - Parameters:
  ///   - member: the member's identifier in the group.
  ///   - user: that of the user, who forwards its own removal.
  fileprivate func isLast(for member: String, from user: String) -> Bool {
    switch self {
    case .grpLeave, .grpDel: return true
    case .grpMemDel(let id, _, _): return id.text == member || id.text == user
    case .grpMsgForward(_, let message):
      // Of somebody else who leaves.
      if case .grpLeave = message.event { return false }
      return message.event.isLast(for: member, from: user)
    default: return false
    }
  }
}

extension Connection {
  /// A body as it is sent over this connection: a long one is compressed where encryption is post-quantum, which leaves
  /// less room. What is too large even so is refused by the agent, for this member only.
  fileprivate func form(of body: [UInt8]) -> [UInt8] {
    let version = UInt16(clamping: connChatVersion)
    return (try? MessageBody.prepared(body, isPostQuantum: pqSupport, version: version)) ?? body
  }

  /// Whether ``form(of:)`` may change a body.
  fileprivate func mayCompress(_ body: [UInt8]) -> Bool {
    pqSupport && body.count > ChatMessageSize.compressedMessage && connChatVersion >= Int(ChatVersion.compression)
  }
}

/// Bodies that are stored when the first member needs them, in each form once.
private struct StoredBodies {
  private struct Form {
    var body: [UInt8]
    var packet: Int64?
  }

  private struct Body {
    var elements: Range<Int>
    var plain: Form
    var compressed: Form?
  }

  private var bodies: [Body]

  init(_ bodies: [(body: [UInt8], elements: Range<Int>)]) {
    self.bodies = bodies.map { Body(elements: $0.elements, plain: Form(body: $0.body)) }
  }

  var indices: Range<Int> { bodies.indices }

  func elements(_ index: Int) -> Range<Int> { bodies[index].elements }

  /// Whether all of them are short enough to be sent over a connection.
  mutating func fit(_ connection: Connection) -> Bool {
    for index in bodies.indices where connection.mayCompress(bodies[index].plain.body) {
      let form = bodies[index].compressed ?? Form(body: connection.form(of: bodies[index].plain.body))
      bodies[index].compressed = form
      if form.body.count > ChatMessageSize.compressedMessage { return false }
    }
    return true
  }

  /// A body with the number of its row.
  /// - Parameter connection: over which it is sent; nil to store it as it is.
  mutating func stored(
    _ index: Int, for connection: Connection? = nil, in rows: ChatTransaction
  ) throws(StoreError) -> (body: [UInt8], packet: Int64) {
    guard let connection, connection.mayCompress(bodies[index].plain.body) else {
      return try Self.stored(&bodies[index].plain, in: rows)
    }
    var form = bodies[index].compressed ?? Form(body: connection.form(of: bodies[index].plain.body))
    defer { bodies[index].compressed = form }
    return try Self.stored(&form, in: rows)
  }

  private static func stored(
    _ form: inout Form, in rows: ChatTransaction
  ) throws(StoreError) -> (body: [UInt8], packet: Int64) {
    if let packet = form.packet { return (form.body, packet) }
    let packet = try rows.addPacket(form.body)
    form.packet = packet
    return (form.body, packet)
  }
}
