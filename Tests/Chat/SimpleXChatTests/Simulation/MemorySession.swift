import QueueStore
import SMPProtocol
import SMPServerCore
import SimplexCrypto
import Synchronization
import WireCodec

@testable import SMPServer

/// A client's connection to a relay in memory: what ``ClientSession`` is over TLS. The relay itself, its gate, its
/// shards and its store are the real ones.
final class MemorySession: ResponseTarget {
  private enum Phase {
    case hello(X25519.PrivateKey)
    case open(SessionContext, CommandGate)
    case closed
  }

  private struct State {
    var phase: Phase
    var sealing = BlockSealing()
  }

  private let relay: Relay
  private let identifier: SessionID
  private let key: X25519.PrivateKey
  private let state: Mutex<State>
  /// Held while the commands of a block run.
  private let running = Mutex(())
  /// Sends a block to the client; false where the connection is closed.
  private let output: @Sendable ([UInt8]) -> Void

  init(_ relay: Relay, _ identifier: SessionID, output: @escaping @Sendable ([UInt8]) -> Void) {
    self.relay = relay
    self.identifier = identifier
    self.output = output
    var random = SystemRandom()
    key = X25519.PrivateKey(using: &random)
    state = Mutex(State(phase: .hello(key)))
  }

  /// Sends the relay's first block.
  func begin() throws {
    let certificateKey = relay.configuration.credential.key
    let signed = try SignedKey(signing: .x25519(key.publicKey), { try certificateKey.sign($0) })
    let hello = ServerHello(
      versions: relay.configuration.versions, sessionID: identifier,
      sessionKey: signed.map {
        CertifiedKey(certificates: relay.configuration.credential.chain.certificates.map(\.der), key: $0)
      })
    let content = try ServerHello.codec.encode(hello)
    try state.withLock { output(try $0.sealing.seal(content)) }
  }

  /// Takes a block of the client; false where the relay closes the connection.
  func receive(_ block: [UInt8]) -> Bool {
    running.withLock { _ in
      guard let (commands, context, gate) = open(block) else { return false }
      for command in commands { run(command, context, gate) }
      return true
    }
  }

  /// Ends the connection, and waits until none of its commands runs any more: a successor of the relay would not
  /// deliver a message that this relay stores later.
  func close() {
    state.withLock { $0.phase = .closed }
    running.withLock { _ in }
    relay.forget(Client(self))
  }

  var isClosed: Bool {
    state.withLock { state in if case .closed = state.phase { true } else { false } }
  }

  private func open(
    _ block: [UInt8]
  ) -> (commands: [ReceivedTransmission<Command>], context: SessionContext, gate: CommandGate)? {
    var block = block
    return state.withLock { state in
      var bytes = block.mutableBytes
      guard let range = try? state.sealing.open(&bytes) else { return nil }
      let content = bytes.bytes.extracting(range)
      switch state.phase {
      case .closed: return nil
      case .open(let context, let gate):
        return (context.transmissions(of: Command.self, in: content), context, gate)
      case .hello(let key):
        guard let hello = try? ClientHello.codec.decodeAll(content), hello.keyHash == relay.fingerprint,
          relay.configuration.versions.contains(hello.version)
        else { return nil }
        let context = SessionContext(version: hello.version, sessionID: identifier)
        let gate = CommandGate(verifier: AuthorizationVerifier(sessionKey: key, tables: relay.signatureTables))
        if hello.version >= SMPVersion.encryptedBlocks,
          let secret = hello.sessionKey.flatMap({ try? key.sharedSecret(with: $0) })
        {
          state.sealing = BlockSealing(sessionID: identifier, secret: secret, isServer: true)
        }
        state.phase = .open(context, gate)
        return ([], context, gate)
      }
    }
  }

  private func run(_ transmission: ReceivedTransmission<Command>, _ context: SessionContext, _ gate: CommandGate) {
    let origin = Origin(
      session: Client(self), correlation: transmission.correlationID, entity: transmission.entityID)
    switch transmission.message {
    case .failure(let error): origin.reply(.err(ProtocolErrorType(error)))
    case .success(.ping): origin.reply(.pong, entity: .none)
    case .success(let command):
      run(
        QueueCommand(
          relay: relay, gate: gate, version: context.version, command: command, transmission: transmission,
          origin: origin))
    }
  }

  /// Finds everything in memory, so that no command waits.
  private func run(_ command: QueueCommand) {
    var reads: [RelayRead] = []
    var outcome = QueueCommand.Outcome.outdated
    while outcome == .outdated {
      outcome = command.execute(command.key.flatMap(relay.store.cached), reads: &reads)
    }
    relay.read(reads)
  }

  /// Sends a response, in a block of its own.
  func send(_ response: Response) {
    var random = SystemRandom()
    let message = response.message(using: &random)
    state.withLock { state in
      guard case .open(let context, _) = state.phase else { return }
      var batch = BlockBatch(context)
      do {
        try batch.add { (writer) throws(WireError) in
          try context.write(message, entity: response.entity, correlation: response.correlation, to: &writer)
        }
        for content in batch.take() { output(try state.sealing.seal(content)) }
      } catch {
        preconditionFailure("a response that does not fit a block: \(error)")
      }
    }
  }
}
