import NotificationServerCore
import SMPProtocol

/// Where a notification server keeps tokens, subscriptions and notifications.
///
/// What a transaction has changed is durable when it is answered. Transactions of all callers are submitted
/// concurrently, and executed one after the other, in the order of submission.
public protocol NotificationStore: Sendable {
  /// Executes a transaction; never blocks. `completion` is called once, on a thread of the store.
  func submit<Value: Sendable>(
    _ transaction: @escaping @Sendable (any NotificationRecords) throws(NotificationStoreError) -> Value,
    completion: @escaping @Sendable (Result<Value, NotificationStoreError>) -> Void)

  /// The keys that authorize commands, as they are durable now; nil where there is no such token or subscription.
  func keys(of commands: [CommandKey]) async throws(NotificationStoreError) -> [AuthorizationKey?]

  /// Up to `limit` queues with a subscription that is subscribed at its relay, after a position, and the position of
  /// the last one; nil at the end.
  func wantedSubscriptions(
    after position: Int64, limit: Int
  ) async throws(NotificationStoreError) -> (subscriptions: [WantedSubscription], next: Int64?)

  /// Waits for what was submitted, and closes the store.
  func close() async
}

extension NotificationStore {
  /// Executes a transaction, and returns when it is durable.
  public func perform<Value: Sendable>(
    _ transaction: @escaping @Sendable (any NotificationRecords) throws(NotificationStoreError) -> Value
  ) async throws(NotificationStoreError) -> Value {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<Value, NotificationStoreError>, Never>) in
      submit(transaction) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }
}
