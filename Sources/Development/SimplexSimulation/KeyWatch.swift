import AgentCore
import DoubleRatchet
import SQLiteKit
import SimplexCrypto
import WireCodec

/// Looks at the keys that an agent has stored after each of its transactions, over all of its lives: the key of a
/// message must not be taken for another one, and neither the keys nor the secret of a chain of messages for another
/// chain. What is not stored cannot have left the device, as effects follow their transaction.
final class KeyWatch {
  private struct Message: Equatable {
    var connection: Int64
    var number: Int64
    var content: [UInt8]
  }

  private struct Chain: Equatable {
    var connection: Int64
    var trace: Ratchet.ChainTrace
  }

  private weak var world: World?
  private let name: String
  private var messages: [[UInt8]: Message] = [:]
  private var chains: [[UInt8]: Chain] = [:]
  /// The key of the ratchet with which a KEM key or a ciphertext was seen.
  private var uses: [[UInt8]: [UInt8]] = [:]
  private var states: [Int64: [UInt8]] = [:]
  private var lastTask: Int64 = 0

  init(_ name: String, world: World) {
    self.name = name
    self.world = world
  }

  /// The process starts again; it may give tasks the numbers of some that are done.
  func restarted() { lastTask = 0 }

  /// How many keys of messages were seen.
  var messageCount: Int { messages.count }
  /// How many chains were seen.
  var chainCount: Int { chains.count }

  func look(at database: SQLiteConnection) {
    do {
      try lookAtMessages(database)
      try lookAtChains(database)
    } catch {
      world?.violate("\(name) has stored something that cannot be read: \(error)")
    }
  }

  private func lookAtMessages(_ database: SQLiteConnection) throws {
    let tasks = try database.all(
      """
      SELECT t.id, t.connection, t.message, t.payload, b.body FROM tasks t LEFT JOIN message_bodies b ON b.number = t.body
      WHERE t.kind = 5 AND t.id > ? ORDER BY t.id
      """, lastTask
    ) { (row) throws(SQLiteError) in
      (try row.integer(0), try row.integer(1), try row.integer(2), try row.bytes(3), try row.optionalBytes(4))
    }
    for (id, connection, number, payload, body) in tasks {
      lastTask = id
      let sealed = try SealedPayload.codec.decode(payload)
      let sealer = try MessageSealer(decoding: sealed.sealer.span.bytes)
      let message = Message(connection: connection, number: number, content: body ?? sealed.content)
      if let known = messages.updateValue(message, forKey: sealer.keyTrace), known != message {
        world?.violate("\(name) uses the key of message \(known.number) for message \(number)")
      }
    }
  }

  private func lookAtChains(_ database: SQLiteConnection) throws {
    let stored = try database.all("SELECT connection, state FROM ratchets") { (row) throws(SQLiteError) in
      (try row.integer(0), try row.bytes(1))
    }
    for (connection, state) in stored where states.updateValue(state, forKey: connection) != state {
      guard let trace = try Ratchet(decoding: state.span.bytes).sendingTrace else { continue }
      let chain = Chain(connection: connection, trace: trace)
      if let known = chains.updateValue(chain, forKey: trace.ratchetKey), known != chain {
        world?.violate("\(name) has the same chain in another connection, or with another KEM")
      }
      // Keys that were sent to agree on a ratchet serve again if the peer has sent newer ones meanwhile.
      if let key = trace.kemKey, try !isAgreed(key, on: connection, in: database) {
        note(key, of: "KEM key", trace: trace)
      }
      if let ciphertext = trace.ciphertext { note(ciphertext, of: "secret of the KEM", trace: trace) }
    }
  }

  private func note(_ key: [UInt8], of what: String, trace: Ratchet.ChainTrace) {
    if let known = uses.updateValue(trace.ratchetKey, forKey: key), known != trace.ratchetKey {
      world?.violate("\(name) uses a \(what) for two chains")
    }
  }

  private func isAgreed(_ key: [UInt8], on connection: Int64, in database: SQLiteConnection) throws -> Bool {
    let stored = try database.first("SELECT parameters FROM ratchet_keys WHERE connection = ?", connection) {
      (row) throws(SQLiteError) in try row.bytes(0)
    }
    guard let stored, let kem = try E2EParameters.codec.decode(stored).kem else { return false }
    return HashFunction.sha256.digest(of: kem.publicKey.rawBytes) == key
  }
}
