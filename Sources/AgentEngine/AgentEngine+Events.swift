import AgentCore
import AgentProtocol
import AgentStore
import SMPProtocol
import WireCodec

extension AgentEngine {
  /// The application has taken these events and all before them; they will not come again.
  public func confirmEvents(through id: EventID, now: Int64) throws(AgentError) -> [AgentEffect] {
    try run(now) { _ in try self.store.removeEvents(through: id) }.effects
  }

  /// Gives the events that were not confirmed before the program ended.
  func replayEvents(_ turn: Turn) throws {
    for event in try store.events() {
      guard let kind = try AgentEvent.Kind(storedPayload: event.payload) else { continue }
      turn.effect(
        .event(AgentEvent(id: event.id, connection: event.connection, tag: event.tag, kind)))
    }
  }

  /// Gives the messages that were not acknowledged before the program ended: their relays may have forgotten them.
  func deliverAgain(_ turn: Turn) throws {
    for (number, id) in try store.unacknowledgedMessages() {
      guard let connection = try store.connection(number: number), connection.deletion != .queues,
        let message = try store.receivedMessage(id, of: number)
      else { continue }
      try deliver(message, connection, turn)
    }
  }
}
