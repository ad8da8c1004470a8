import AgentCore
import AgentStore
import SMPClientCore
import SMPProtocol

// A queue can be silent because nobody writes, or because its relay has forgotten who is subscribed, or waits for an
// acknowledgement that it never gets. The relay knows which: queues that were not heard of for long are asked about, a
// few at a time, and subscribed again where messages are held back.

extension AgentEngine {
  /// Something came from a queue, or its relay said how it is. It does no harm if the transaction fails.
  func heard(_ queue: Int64, _ turn: Turn) { subscriptions[queue]?.heardAt = turn.now }

  /// Asks relays about queues that were not heard of for long.
  func checkSilentQueues(_ turn: Turn) throws {
    let silent = subscriptions.filter { _, subscription in
      subscription.state == .active && connectedSessions.contains(subscription.session)
        && turn.now - subscription.heardAt >= configuration.silentQueue
    }
    let due = silent.sorted { ($0.value.heardAt, $0.key) < ($1.value.heardAt, $1.key) }
    for (number, subscription) in due.prefix(configuration.silentQueueBatch) {
      guard let queue = try store.receiveQueue(number: number) else { continue }
      heard(number, turn)
      let id = makeRequestID()
      let flight = Flight(work: .silence(number), session: subscription.session, startedAt: turn.now)
      turn.change { self.flights[id] = flight }
      turn.effect(
        .perform(
          id, subscription.session, RequestPipeline.Request(.que, entity: queue.recipientID, key: queue.key), .direct))
    }
  }

  /// The relay said how a silent queue is.
  func checked(_ number: Int64, _ result: Result<BrokerMessage, SMPClientError>, _ turn: Turn) throws {
    guard let subscription = subscriptions[number], subscription.state == .active,
      let queue = try store.receiveQueue(number: number),
      let connection = try store.connection(number: queue.connection), connection.deletion == .no
    else { return }
    switch result {
    case .success(.info(let info)):
      // What the application has not acknowledged is not held back by the relay.
      let isHeldBack = info.qiSize > 0 && queue.lastMessage == nil
      guard info.qiSub == nil || isHeldBack else { return }
      var diagnosis = try diagnosis(connection, now: turn.now)
      diagnosis.findings.insert(.silent(queue.server, waiting: info.qiSize), at: 0)
      try emit(.stuck(diagnosis), connection.id, turn)
      turn.change { self.subscriptions[number]?.state = .pending }
      count(.subscriptionAttempts, subscription.session, turn)
      turn.effect(.subscribe(subscription.session, [(queue: queue.recipientID, key: queue.key)]))
    case .failure(.relay(.AUTH)):
      try cannotSubscribe(number, queue.connection, .relay(.AUTH), subscription.session, turn)
    default: break
    }
  }
}
