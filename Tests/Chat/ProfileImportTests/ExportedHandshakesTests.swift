import AgentCore
import AgentStore
import ChatStore
import Foundation
import SQLiteKit
import Testing
import WireCodec

@testable import ProfileImport

/// What is under way goes back to the reference app, and comes again from there.
@Suite struct ExportedHandshakesTests {
  @Test func returnsWhatIsUnderWay() throws {
    let exported = try ExportedProfile("reference-handshakes")
    let path = exported.profile.target
    let before = try summaries(of: path)
    let probesBefore = try rows(of: path + "_chat.db").filter { $0.key.hasSuffix("_probes") }
    var exporting = exported.makeExport()
    exporting.acceptsLosses = true
    let report = try exporting.run()
    #expect(report.taken[.connections] == 7)
    #expect(report.taken[.pendingMessages] == 1)
    #expect(report.taken[.probes] == 2)
    #expect(report.taken[.outgoingMessages] == 4)
    // Frank's confirmation, and the two commands that wait for the next start.
    #expect(report.losses == [.handshakes: 1, .agentCommands: 2])
    // The keys that two queues are secured with, whose connections are not made yet.
    #expect(report.left[.failedAttempts] == 2)
    try exported.extract()
    let again = try exported.importReturned()
    #expect(try summaries(of: again) == before)
    #expect(try rows(of: again + "_chat.db").filter { $0.key.hasSuffix("_probes") } == probesBefore)
    let texts = try SQLiteConnection(path: again + "_chat.db").all("SELECT body FROM packets") {
      (row) throws(SQLiteKit.SQLiteError) in String(decoding: try row.bytes(0), as: UTF8.self)
    }
    #expect(texts.count == 1 && texts[0].contains("for all members"))
  }

  /// What is known of the connections that go back, and of the links that were opened.
  private func summaries(of path: String) throws -> [[String]] {
    let store = try AgentDatabase(path: path + "_agent.db")
    let ids = ["Iq2uqsrHbHfzCs0R", "Gw7QRFZ3Jg9eW90o", "TYlTkgQdHE9r8Ad3", "XvEOSjYEgOsrKSCF", "ZuSTL5rmkZQL8c_L"]
    return try ids.map { id in
      let connection = try #require(try store.connection(ConnectionID(Array(id.utf8))))
      let keys = try store.ratchetParameters(of: connection.number)
      return ["\(connection.ratchetSync) \(connection.pqSupport) \(String(describing: keys))"]
        + (try summary(of: connection, in: store))
    }
  }

  /// The queues, the ratchet and the tasks of a connection, without the numbers that the store gives.
  private func summary(of connection: StoredConnection, in store: AgentDatabase) throws -> [String] {
    let receive = try store.receiveQueues(of: connection.number)
    let send = try store.sendQueues(of: connection.number)
    var lines = receive.map { queue in
      let replaced = receive.first { $0.number == queue.replaces }?.recipientID.bytes
      return "\(queue.recipientID.bytes) \(queue.status) \(queue.isPrimary) \(String(describing: replaced)) "
        + String(describing: queue.switchStatus)
    }
    lines += send.map { queue in
      let replaced = send.first { $0.number == queue.replaces }?.senderID.bytes
      return "\(queue.senderID.bytes) \(queue.status) \(queue.isPrimary) \(String(describing: replaced)) "
        + String(describing: queue.switchStatus)
    }
    if let ratchet = try store.ratchet(of: connection.number) {
      lines.append("\(ratchet.lastID) \(ratchet.lastSent) \(ratchet.lastReceived) \(ratchet.lastSentHash)")
    }
    for task in try store.tasks(of: connection.number) {
      if task.kind == .sendEnvelope {
        let payload = try EnvelopePayload.codec.decode(task.payload)
        lines.append("\(task.kind) \(task.message) \(payload.purpose) \(payload.envelope)")
      } else {
        let payload = try SealedPayload.codec.decode(task.payload)
        lines.append("\(task.kind) \(task.message) \(payload.purpose) \(payload.header) \(payload.content)")
      }
    }
    return lines
  }
}
