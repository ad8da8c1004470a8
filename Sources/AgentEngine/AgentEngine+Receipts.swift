import AgentCore
import AgentProtocol
import AgentStore

// Receipts, which tell the sender of a message that it was received.

extension AgentEngine {
  /// How many receipts go in one message at most, which has room for them.
  private static let receiptLimit = 30
  /// What a receipt may say, in bytes.
  static let receiptInfoLimit = 255

  /// Sends receipts of these connections soon, with others that come meanwhile: each message turns the ratchet and takes
  /// a block, however little it says.
  func oweReceipts(_ connections: [Int64], _ turn: Turn) {
    guard !connections.isEmpty else { return }
    turn.change {
      self.owingReceipts.formUnion(connections)
      guard self.receiptsAt == .max else { return }
      self.receiptsAt = turn.now + self.configuration.receiptDelay
      self.schedule(self.receiptsAt)
    }
  }

  /// Sends the receipts that are owed.
  func sendReceipts(_ turn: Turn) throws {
    for number in owingReceipts.sorted() {
      let connection = try store.connection(number: number)
      while true {
        let owed = try store.owedReceipts(of: number, limit: Int64(Self.receiptLimit))
        guard let last = owed.last else { break }
        try store.removeOwedReceipts(through: last.id, of: number)
        guard let connection, connection.deletion == .no else { continue }
        try sendReceipts(
          owed.map { MessageReceipt(messageID: $0.number, messageHash: $0.hash, info: $0.info) }, connection, turn)
      }
    }
    turn.change {
      self.owingReceipts = []
      self.receiptsAt = .max
    }
  }

  private func sendReceipts(_ receipts: [MessageReceipt], _ connection: StoredConnection, _ turn: Turn) throws {
    guard connection.agentVersion >= AgentVersion.receipts, !connection.ratchetSync.prohibitsSending else { return }
    // Before the connection is allowed there is nothing to send a receipt with.
    let queues = try store.sendQueues(of: connection.number)
    guard !queues.isEmpty else { return }
    do {
      try part(of: turn) { try enqueue(.received(receipts), .receipt, connection, to: queues, turn) }
    } catch {
      let problem = AgentError(any: error)
      if case .store = problem { throw problem }
      // Receipts are a courtesy.
      try emit(.failed(problem), connection.id, turn)
    }
  }
}
