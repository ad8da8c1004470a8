import NIOCore
import Synchronization

/// Connections that have something to write, until their event loops are told.
///
/// One commit of the store answers many commands. What it says to one client goes into the same blocks, and each event
/// loop is woken once, if the connections are told after all of the answers are there.
final class SessionFlushing: Sendable {
  private struct State {
    var waiting: [ClientSession] = []
    var isCollecting = false
  }

  private let state = Mutex(State())

  /// Has a session write what waits in it: at once, or later while answers are being collected.
  func add(_ session: ClientSession) {
    let waits = state.withLock { state in
      if state.isCollecting { state.waiting.append(session) }
      return state.isCollecting
    }
    if !waits { session.connection.perform { session.flush() } }
  }

  /// Collects until ``flush()``.
  func collect() { state.withLock { $0.isCollecting = true } }

  /// Has all sessions write that were collected.
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
