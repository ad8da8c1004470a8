import AgentCore
import AgentProtocol
import AgentStore

// Receipts, which tell the sender of a message that it was received.

extension AgentMachine {
  /// How many receipts go in one message at most, which has room for them.
  private static let receiptLimit = 30
  /// What a receipt may say, in bytes.
  static let receiptInfoLimit = 255

  /// Schedules the receipts of these connections: at once, unless some were sent within the batch delay. Those that
  /// become due before it is over go together: every message, however short, takes a ratchet step and a block.
  func oweReceipts(_ connections: [Int64], in transaction: AgentTransaction) {
    guard !connections.isEmpty else { return }
    transaction.change {
      // While the agent is suspended they are owed in the database only.
      if self.activity == .suspended { return }
      self.owingReceipts.formUnion(connections)
      guard self.receiptsAt == .max else { return }
      // The clock may have been set back since.
      let wait = min(max(0, self.receiptsWaitUntil - transaction.now), self.configuration.receiptDelay)
      self.receiptsAt = transaction.now + wait
      self.schedule(self.receiptsAt)
    }
  }

  /// Sends the receipts that are due, of all connections, and starts the batch delay.
  func sendReceipts(_ transaction: AgentTransaction) throws {
    for number in owingReceipts.sorted() { try sendOwedReceipts(of: number, in: transaction) }
    transaction.change {
      if !self.owingReceipts.isEmpty { self.receiptsWaitUntil = transaction.now + self.configuration.receiptDelay }
      self.owingReceipts = []
      self.receiptsAt = .max
    }
  }

  /// Sends all receipts that are owed to a connection; drops them where it is being deleted. While the ratchet
  /// prohibits sending they stay owed, until ``resumeSending(_:in:)``.
  func sendOwedReceipts(of number: Int64, in transaction: AgentTransaction) throws {
    let connection = try store.connection(number: number)
    if let connection, connection.deletion == .no, connection.ratchetSync.prohibitsSending { return }
    while true {
      let owed = try store.owedReceipts(of: number, limit: Int64(Self.receiptLimit))
      guard let last = owed.last else { return }
      try store.removeOwedReceipts(through: last.id, of: number)
      guard let connection, connection.deletion == .no else { continue }
      try sendReceipts(
        owed.map { MessageReceipt(messageID: $0.number, messageHash: $0.hash, info: $0.info) }, on: connection,
        in: transaction)
    }
  }

  private func sendReceipts(
    _ receipts: [MessageReceipt], on connection: StoredConnection, in transaction: AgentTransaction
  ) throws {
    guard connection.agentVersion >= AgentVersion.receipts else { return }
    // Before the connection is allowed there is no send queue.
    let queues = try store.sendQueues(of: connection.number)
    guard !queues.isEmpty else { return }
    do {
      try savepoint(in: transaction) {
        try enqueue(.received(receipts), for: .receipt, on: connection, to: queues, in: transaction)
      }
    } catch {
      let problem = AgentError(any: error)
      if case .store = problem { throw problem }
      // Receipts are best effort.
      try emit(.failed(problem), connection: connection.id, in: transaction)
    }
  }
}
