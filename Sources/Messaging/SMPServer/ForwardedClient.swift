import SMPProtocol
import SMPServerCore
import SimplexCrypto
import WireCodec

/// A client whose command was forwarded by a proxy: its response is sealed in two boxes. Source: simplex-messaging.md,
/// "Proxying sender commands".
final class ForwardedClient: ResponseTarget {
  /// The proxy's RFWD.
  private let outer: Origin<Client>
  /// The secret of the session with the proxy.
  private let secret: BoxKey
  /// The boxes between this relay and the client.
  private let block: ProxiedBlock
  /// The version of the client's command, in the session of the proxy.
  private let context: SessionContext

  init(outer: Origin<Client>, secret: BoxKey, block: ProxiedBlock, context: SessionContext) {
    self.outer = outer
    self.secret = secret
    self.block = block
    self.context = context
  }

  /// Forwarded commands cannot subscribe.
  var maySubscribe: Bool { false }

  var isClosed: Bool { outer.session.target.isClosed }

  func addWaiting(bytes: Int) { outer.session.target.addWaiting(bytes: bytes) }

  func send(_ response: Response) {
    outer.session.target.send(
      Response(outer.correlation, about: .none, .forwarded(ForwardedReply(response: response, client: self))))
  }

  /// A response that the writer of the proxy's connection seals: the thread that answers serves others, too.
  private struct ForwardedReply: ForwardedSealing {
    let response: Response
    let client: ForwardedClient

    func seal() -> BrokerMessage { client.seal(response) }
  }

  private func seal(_ response: Response) -> BrokerMessage {
    guard let content = content(response), let sealed = try? block.sealResponse(content),
      let box = try? ForwardedResponse(correlationID: block.correlationID, response: sealed)
        .seal(secret: secret, correlation: outer.correlation)
    else { return .err(.INTERNAL) }
    return .rres(box)
  }

  /// The content of a block with the response.
  private func content(_ response: Response) -> [UInt8]? {
    var random = SystemRandom()
    var batch = BlockBatch(context)
    do throws(WireError) {
      try batch.add { (writer) throws(WireError) in try response.write(in: context, to: &writer, using: &random) }
    } catch {
      return nil
    }
    return batch.take().first
  }
}

extension ClientSession {
  /// Executes a command that a proxy forwards; the response goes to its client. What cannot be opened or executed
  /// counts as refused.
  func forwarded(_ box: [UInt8], from origin: Origin<Client>, in established: Established) -> Admission {
    do {
      let (command, client, gate) = try open(box, from: origin, in: established)
      let inner = Origin(
        session: Client(client), correlation: command.correlationID, entity: command.entityID)
      relay.statistics.count(.forwardedReceived)
      switch command.message {
      case .failure(let error): inner.reply(.err(ProtocolErrorType(error)))
      case .success(let message) where message.mayBeForwarded:
        return execute(
          QueueCommand(
            relay: relay, gate: gate.gate, version: gate.version, command: message, transmission: command,
            origin: inner, isForwarded: true))
      case .success: inner.reply(.err(.CMD(cmdErr: .PROHIBITED)))
      }
    } catch {
      origin.reply(.err(error), entity: .none)
    }
    return .refused(reading: .zero, isForwarded: true)
  }

  private func open(
    _ box: [UInt8], from origin: Origin<Client>, in established: Established
  ) throws(ProtocolErrorType) -> (ReceivedTransmission<Command>, ForwardedClient, (gate: CommandGate, version: UInt16))
  {
    let noAuth = ProtocolErrorType.PROXY(proxyErr: .BROKER(brokerErr: .TRANSPORT(transportErr: .noServerAuth)))
    guard let secretBytes = established.secret, let secret = try? BoxKey(secretBytes) else { throw noAuth }
    let forwarded: ForwardedTransmission
    do {
      forwarded = try ForwardedTransmission(opening: box, secret: secret, correlation: origin.correlation)
    } catch .malformed {
      throw .CMD(cmdErr: .SYNTAX)
    } catch {
      throw .CRYPTO
    }
    let version = forwarded.request.version
    guard relay.configuration.versions.contains(version) else {
      throw .PROXY(proxyErr: .BROKER(brokerErr: .TRANSPORT(transportErr: .version)))
    }
    guard forwarded.request.transmission.count >= ProxiedBlock.minimumBoxSize else { throw .BLOCK }
    let verifier = AuthorizationVerifier(sessionKey: established.gate.verifier.sessionKey)
    guard let key = try? verifier.sessionKey.boxKey(with: forwarded.request.key) else { throw .CRYPTO }
    let block = ProxiedBlock(key: key, correlationID: forwarded.correlationID)
    guard let content = try? block.openCommand(forwarded.request.transmission) else { throw .CRYPTO }
    let context = SessionContext(version: version, sessionID: identifier)
    let commands = context.transmissions(of: Command.self, in: content.span.bytes)
    guard commands.count == 1, let command = commands.first else { throw .BLOCK }
    let client = ForwardedClient(outer: origin, secret: secret, block: block, context: context)
    return (command, client, (CommandGate(verifier: verifier), version))
  }
}

extension Command {
  /// Whether a proxy may send the command for a client.
  fileprivate var mayBeForwarded: Bool {
    switch self {
    case .send, .skey, .lkey, .lget, .rslv: true
    default: false
    }
  }
}
