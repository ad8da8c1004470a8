import QueueStore
import SMPProtocol
import SMPServerCore
import SimplexCrypto
import WireCodec

extension ClientSession {
  /// Executes one command, or answers with an error.
  func receive(_ transmission: ReceivedTransmission<Command>, _ established: Established) -> Admission {
    let origin = origin(of: transmission)
    switch transmission.message {
    case .failure(let error):
      origin.reply(.err(ProtocolErrorType(error)))
    case .success(.ping): origin.reply(.pong, entity: .none)
    case .success(.prxy(let request)): openProxySession(request, origin)
    case .success(.pfwd(let request)): forward(request, origin)
    case .success(.rfwd(let box)): return forwarded(box, from: origin, in: established)
    case .success(let command):
      return execute(queueCommand(command, of: transmission, from: origin, in: established))
    }
    return .admitted
  }

  /// Has the store read the queues of received commands while those that wait before them are executed.
  func readAhead(_ established: Established) {
    var count = 0
    while count < CommandQueue.limit, let transmission = pending.first,
      case .success(let command) = transmission.message
    {
      let waiting = queueCommand(command, of: transmission, from: origin(of: transmission), in: established)
      guard waiting.key != nil else { break }
      _ = pending.popFirst()
      commands.add(waiting)
      count += 1
    }
    if count > 0 { startReading(in: shares.usual, ahead: true) }
  }

  private func origin(of transmission: ReceivedTransmission<Command>) -> Origin<Client> {
    Origin(session: Client(self), correlation: transmission.correlationID, entity: transmission.entityID)
  }

  private func queueCommand(
    _ command: Command, of transmission: ReceivedTransmission<Command>, from origin: Origin<Client>,
    in established: Established
  ) -> QueueCommand {
    QueueCommand(
      relay: relay, gate: established.gate, version: established.context.version, command: command,
      transmission: transmission, origin: origin)
  }

  /// Executes a command, or has it wait for its queue to be read.
  func execute(_ command: QueueCommand) -> Admission {
    guard let key = command.key else { return execute(command, nil) }
    guard usesCache, !commands.delays(nil), let found = relay.store.cached(key) else {
      commands.add(command)
      return .admitted
    }
    return execute(command, found)
  }

  /// Does what an answer of the store is for.
  func use(_ step: CommandQueue.Step) -> Admission {
    switch step {
    case .read(let read):
      // A response may not reach into the commands while they are being changed.
      var answers = commands.takeAnswers()
      var reads: [RelayRead] = []
      relay.finish(read, &answers, reads: &reads)
      commands.add(reads, rest: answers)
      if case .refusal(_, _, _, let isForwarded) = read {
        return .refused(reading: commands.timeOfRead, isForwarded: isForwarded)
      }
      return .admitted
    case .command(let command):
      guard command.key != nil else { return execute(command, nil) }
      switch commands.nextAnswer().queue {
      case .success(let found): return execute(command, found, reading: commands.timeOfRead)
      case .failure(let failure):
        command.origin.reply(.err(ProtocolErrorType(failure)))
        return .admitted
      }
    }
  }

  /// `reading` is the time that the store took to find the queue.
  private func execute(
    _ command: QueueCommand, _ lookup: QueueLookup?, reading: Duration = .zero
  ) -> Admission {
    guard !commands.delays(lookup?.record?.number) else {
      commands.add(command)
      return .admitted
    }
    var reads: [RelayRead] = []
    let outcome = command.execute(lookup, reads: &reads)
    commands.add(reads)
    switch outcome {
    case .admitted:
      admittedInRow = min(admittedInRow + 1, CommandQueue.limit)
      return .admitted
    case .refused:
      admittedInRow = 0
      return .refused(reading: reading, isForwarded: command.isForwarded)
    case .outdated:
      // What follows is read again with it, and may fill a whole read: nothing further is read ahead meanwhile.
      admittedInRow = 0
      commands.add(command)
      return .admitted
    }
  }
}

/// Whether the authorization of a command was sufficient.
enum Admission {
  case admitted
  /// It was not; `reading` is the time that the store took for it since it was last counted. Another relay may have
  /// forwarded it for a stranger.
  case refused(reading: Duration, isForwarded: Bool)
}

extension Origin<Client> {
  func reply(_ message: BrokerMessage) { reply(message, entity: entity) }

  func reply(_ message: BrokerMessage, entity: EntityID) {
    session.target.send(Response(correlation, about: entity, .plain(message)))
  }
}
