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
}
