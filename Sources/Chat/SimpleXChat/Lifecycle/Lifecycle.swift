import SQLiteKit
import SimplexCrypto

/// The state of a controller's lifecycle.
///
/// Two things are independent of each other: how it was started (kept while the databases are closed, so that an app
/// continues without `/_start`), and whether it has the databases.
///
/// | databases | reached by | lease | agent | commands |
/// |---|---|---|---|---|
/// | open | opening, `chat_reopen_store`, `/_app activate` | held | there; online while started and activated | all |
/// | parked | `/_app suspend` | not held | nil | reads answer, the others fail with `INACTIVE` |
/// | closed | `chat_close_store`, commands that replace the files | not held | nil | fail |
/// | handed over | opening by another controller of the process | not held | nil | fail |
struct Lifecycle {
  /// How the chat was started; nil before `/_start` and after `/_stop`.
  var start: Start?
  /// The suspension that is under way.
  var suspension: Suspension?
  /// The suspensions so far.
  var suspensionCount = 0
  /// Retries an activation that failed, such as where another process has the databases.
  var activation: Task<Void, Never>?
  /// Whether the agent was asked to subscribe to the known connections since its events are read.
  var isSubscribed = false
  /// Waits for steps of files that did not end before a suspension closed the databases.
  var endingFiles: Task<Void, Never>?
  /// Whether the controller holds the lease of its databases.
  var holdsLease = true
  /// Whether another controller of this process has the databases now, or is about to: nothing is done any more.
  var isHandedOver = false
  /// Whether the databases were closed by a suspension, and their keys are kept.
  var isParked = false
  /// The key of the agent's database while it is open or parked, because deriving it takes 0.1 s.
  var agentKey: DatabaseKey?
  /// Commands that are being carried out.
  var commandsInFlight = 0
  /// Whether the app says that the device has a network.
  var isNetworkOnline = true

  /// How the chat was started.
  struct Start {
    /// Whether it subscribes to the messages of all users; an extension that shows notifications does not.
    var isMainApp: Bool
    /// Whether it sends and receives files; an extension that shares may only send.
    var sendsFiles: Bool
  }

  /// A suspension under way.
  struct Suspension {
    /// Its number.
    var number: Int
    /// Whether the agent reported that nothing is in flight.
    var agentIsIdle = false
    /// Has the agent finish what is in flight.
    var waiting: Task<Void, Never>?
    /// Waits for that, and closes the databases.
    var task: Task<Void, Never>?
  }
}

extension ChatController {
  /// Runs `body` while no other change of the lifecycle is made. Must not be nested.
  func withLifecycleLock<Value: Sendable, Failure: Error>(
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await locked(.lifecycle, body)
  }
}
