import AgentCore
import AgentProtocol
import AgentStore
import SMPProtocol
import WireCodec

extension AgentMachine {
  /// Confirms all events up to this one: they are not delivered again, and their numbers are not reused.
  public func confirmEvents(through id: EventID, now: Int64) throws(AgentError) -> [AgentEffect] {
    try run(now) { transaction in
      try self.store.removeEvents(through: id)
      transaction.change { self.skipEvents(through: id) }
    }.effects
  }

  /// Skips the numbers of events up to this one.
  func skipEvents(through id: EventID) { lastEvent = max(lastEvent, id) }

  /// The number of the next event.
  ///
  /// An event may be emitted before it is durable (``AgentTransaction/mayBeLost``), and a power failure may then revert
  /// it. Its number must not be reused, because the application would ignore the second event as handled. So numbers
  /// are reserved in blocks, a reservation is durable before the first number of its block is emitted, and after a
  /// start numbers begin behind the last block.
  func makeEventID(_ transaction: AgentTransaction) throws -> EventID {
    lastEvent = EventID(rawValue: lastEvent.rawValue + 1)
    if lastEvent > reservedEvents {
      let block = EventID(rawValue: lastEvent.rawValue + Self.eventBlock)
      try store.reserveEvents(through: block)
      transaction.mustLast = true
      transaction.change { self.reservedEvents = block }
    }
    return lastEvent
  }

  /// How many numbers of events are reserved at a time.
  private static let eventBlock: Int64 = 1_000

  /// Returns the events that were not confirmed before the program ended.
  func replayEvents(_ transaction: AgentTransaction) throws {
    for event in try store.events() {
      do throws(WireError) {
        guard let kind = try AgentEvent.Kind(storedPayload: event.payload) else {
          store.note(.event(event.id.rawValue), "a newer version stored it")
          continue
        }
        transaction.effect(
          .event(AgentEvent(id: event.id, connection: event.connection, tag: event.tag, kind)))
      } catch {
        store.note(.event(event.id.rawValue), "\(error)")
      }
    }
  }

  /// Delivers the messages that were not acknowledged before the program ended, because their relays may not deliver
  /// them again; with those that were set aside.
  func deliverAgain(_ transaction: AgentTransaction) throws {
    try deliver(try store.unacknowledgedMessages(), in: transaction)
  }

  /// Delivers the messages again that were set aside because the application could not store them; to be called when
  /// that may succeed now. They are delivered with each start and activation, too.
  public func deliverMessagesAside(now: Int64) throws(AgentError) -> [AgentEffect] {
    try run(now) { transaction in try self.deliver(try self.store.messagesAside(), in: transaction) }.effects
  }

  func deliver(_ messages: [(connection: Int64, id: Int64)], in transaction: AgentTransaction) throws {
    for (number, id) in messages {
      guard let connection = try store.connection(number: number), connection.deletion != .queues,
        let message = try store.receivedMessage(id, of: number)
      else { continue }
      do { try deliver(message, on: connection, in: transaction) } catch let error as WireError {
        store.note(.message(id, connection: number), "\(error)")
      }
    }
  }

  /// Sets the rows aside that could not be read since the last transaction, and reports each of them once.
  func setUnreadableAside(_ transaction: AgentTransaction) throws {
    for (row, reason) in store.takeUnreadable() {
      guard try store.setAside(row, reason: reason, at: transaction.now) else { continue }
      let error = AgentError.internalError("cannot read what is stored (\(row.name)): \(reason)")
      switch (row, try store.id(ofUnreadable: row)) {
      case (.sentFile, let id?): try emit(.fileSendFailed(id, error), in: transaction)
      case (.receivedFile, let id?): try emit(.fileReceiveFailed(id, error), in: transaction)
      default: try emit(.failed(error), in: transaction)
      }
    }
  }
}
