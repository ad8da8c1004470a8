import AgentCore
import AgentStore
import SMPClientCore
import SMPProtocol

// A queue can be silent because nobody writes, because its relay lost the subscription, or because the relay waits for
// an acknowledgement that was lost. So the agent queries relays about queues that were silent for long, a few at a
// time, and subscribes again to those with undelivered messages.

extension AgentMachine {
  /// Records that a queue is alive: its relay delivered a message or reported its state. Not undone if the transaction
  /// fails, which is harmless.
  func heard(_ queue: Int64, in transaction: AgentTransaction) { subscriptions[queue]?.heardAt = transaction.now }

  /// Queries relays about queues that were silent for long.
  func checkSilentQueues(_ transaction: AgentTransaction) throws {
    let silent = subscriptions.filter { _, subscription in
      subscription.state == .active && connectedSessions.contains(subscription.session)
        && transaction.now - subscription.heardAt >= configuration.silentQueue
    }
    let due = silent.sorted { ($0.value.heardAt, $0.key) < ($1.value.heardAt, $1.key) }
    for (number, subscription) in due.prefix(configuration.silentQueueBatch) {
      guard let queue = try store.receiveQueue(number: number) else { continue }
      heard(number, in: transaction)
      let id = makeRequestID()
      let flight = Flight(work: .silence(number), session: subscription.session, startedAt: transaction.now)
      transaction.change { self.flights[id] = flight }
      transaction.effect(
        .perform(
          id, subscription.session, RequestPipeline.Request(.que, entity: queue.recipientID, key: queue.key), .direct))
    }
  }

  /// Handles the state of a silent queue from its relay.
  func checked(_ number: Int64, with result: Result<BrokerMessage, SMPClientError>, in transaction: AgentTransaction)
    throws
  {
    guard let subscription = subscriptions[number], subscription.state == .active,
      let queue = try store.receiveQueue(number: number),
      let connection = try store.connection(number: queue.connection), connection.deletion == .no
    else { return }
    switch result {
    case .success(.info(let info)):
      guard !delivers(queue, accordingTo: info) else { return }
      var diagnosis = try diagnosis(connection, now: transaction.now)
      diagnosis.findings.insert(.silent(queue.server, waiting: info.qiSize), at: 0)
      try emit(.stuck(diagnosis), connection: connection.id, in: transaction)
      subscribeAgain(queue, at: subscription.session, in: transaction)
    case .failure(.relay(.AUTH)):
      try cannotSubscribe(
        number, connection: queue.connection, error: .relay(.AUTH), at: subscription.session, in: transaction)
    default: break
    }
  }

  /// Whether a queue's relay delivers its messages, according to what the relay says about the queue: it is subscribed,
  /// and it is empty or waits until the application acknowledges a message.
  func delivers(_ queue: ReceiveQueue, accordingTo info: QueueInfo) -> Bool {
    info.qiSub != nil && (info.qiSize == 0 || queue.lastMessage != nil)
  }

  /// Subscribes again to a queue whose relay does not deliver its messages.
  func subscribeAgain(_ queue: ReceiveQueue, at session: SessionKey, in transaction: AgentTransaction) {
    transaction.change { self.subscriptions[queue.number]?.state = .pending }
    guard !delayUnlessActive(queue.number, in: transaction) else { return }
    count(.subscriptionAttempts, at: session, in: transaction)
    transaction.effect(.subscribe(session, [(queue: queue.recipientID, key: queue.key)]))
  }
}
