import NIOCore
import Synchronization

/// Connections with pending writes, until their event loops are woken.
///
/// One commit of the store answers many commands. Its responses to one client go into the same blocks, and each event
/// loop is woken once, if the connections are woken after all of the answers are there.
final class SessionFlushing: Sendable {
  private struct State {
    var waiting: [ClientSession] = []
    var isCollecting = false
  }

  private let state = Mutex(State())

  /// Has a session write its responses: at once, or at the next flush while answers are being collected.
  func add(_ session: ClientSession) {
    let waits = state.withLock { state in
      if state.isCollecting { state.waiting.append(session) }
      return state.isCollecting
    }
    if !waits { session.connection.perform { session.flush() } }
  }

  /// Starts collecting until ``flush()``.
  func collect() { state.withLock { $0.isCollecting = true } }

  /// Wakes all collected sessions.
  func flush() {
    let sessions = state.withLock { state in
      defer { state = State() }
      return state.waiting
    }
    for (_, sessions) in Dictionary(grouping: sessions, by: { ObjectIdentifier($0.connection.eventLoop) }) {
      sessions.first?.connection.perform { for session in sessions { session.flush() } }
    }
  }
}
