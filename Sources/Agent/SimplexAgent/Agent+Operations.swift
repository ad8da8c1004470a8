import AgentCore
import AgentEngine
import AgentStore
import SQLiteKit

// How operations get to the engine, with the time. They go to the agent's queue directly, and from there back to who
// waits for them: each detour over an actor would cost as much as a transaction.

extension Agent {
  /// Runs an operation and performs its effects.
  nonisolated(nonsending) func run(
    _ body: @escaping @Sendable (AgentMachine, Int64) throws(AgentError) -> [AgentEffect]
  ) async throws(AgentError) {
    try await run { (engine, now) throws(AgentError) in Accepted((), try body(engine, now)) }
  }

  /// Runs an operation without effects.
  nonisolated(nonsending) func change<Value: Sendable>(
    _ body: @escaping @Sendable (AgentMachine, Int64) throws(AgentError) -> Value
  ) async throws(AgentError) -> Value {
    try await run { (engine, now) throws(AgentError) in Accepted(try body(engine, now), []) }
  }

  /// Runs an operation and performs its effects once it is durable.
  /// - Parameters:
  ///   - waits: whether it returns only then.
  ///   - meanwhile: what the caller does on its thread while it waits for the agent's.
  /// - Throws: `inactive` after ``close()``.
  nonisolated(nonsending) func run<Value: Sendable>(
    waits: Bool = true, _ body: @escaping @Sendable (AgentMachine, Int64) throws(AgentError) -> Accepted<Value>,
    meanwhile: () -> Void = {}
  ) async throws(AgentError) -> Value {
    try await onQueue(meanwhile) {
      (agent, finish: @escaping (Result<Value, AgentError>) -> Void) throws(AgentError) in
      let accepted = try agent.withEngine(body)
      if waits {
        agent.hold(accepted.effects) { error in finish(Result(accepted.value, unless: error)) }
      } else {
        agent.hold(accepted.effects)
        finish(.success(accepted.value))
      }
    }
  }

  /// Runs an operation that returns a call, and waits for the network.
  nonisolated(nonsending) func call<Value: Sendable>(
    _ body: @escaping @Sendable (AgentMachine, Int64) throws(AgentError) -> Accepted<Value>,
    _ call: @escaping @Sendable (Value) -> CallID?
  ) async throws(AgentError) -> (Value, CallOutcome) {
    typealias Outcome = Result<(Value, CallOutcome), AgentError>
    return try await onQueue { (agent, finish: @escaping (Outcome) -> Void) throws(AgentError) in
      let accepted = try agent.withEngine(body)
      let value = accepted.value
      if let id = call(value) {
        agent.wait(for: id) { (result: Result<CallOutcome, AgentError>) in finish(result.map { (value, $0) }) }
        agent.hold(accepted.effects)
      } else {
        agent.hold(accepted.effects) { error in finish(Outcome((value, CallOutcome.done), unless: error)) }
      }
    }
  }

  /// Looks at the engine.
  nonisolated(nonsending) func look<Value: Sendable>(
    _ body: @escaping @Sendable (AgentMachine, Int64) throws(AgentError) -> Value
  ) async throws(AgentError) -> Value {
    try await onQueue { (agent, finish: @escaping (Result<Value, AgentError>) -> Void) throws(AgentError) in
      finish(.success(try agent.withEngine(body)))
    }
  }

  /// Runs `body` on the agent's queue, and waits until it has finished; `body` finishes once, or throws.
  private nonisolated(nonsending) func onQueue<Value: Sendable>(
    _ meanwhile: () -> Void = {},
    _ body:
      @escaping @Sendable (
        isolated Agent, @escaping (Result<Value, AgentError>) -> Void
      ) throws(AgentError) -> Void
  ) async throws(AgentError) -> Value {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<Value, AgentError>, Never>) in
      queue.run {
        self.assumeIsolated { agent in
          do throws(AgentError) {
            try body(agent) { continuation.resume(returning: $0) }
          } catch {
            continuation.resume(returning: .failure(error))
          }
        }
      }
      meanwhile()
    }
    return try result.get()
  }
}

extension Agent {
  /// Runs SQL that a person typed on the database, to look at it; at most `limit` rows as text. Who changes something
  /// should know what: it is not checked, what is in memory does not follow, and it may be lost by a power failure.
  public func rows(of sql: String, limit: Int = 10_000) throws(AgentError) -> [String] {
    try withEngine { (engine, _) throws(AgentError) in
      try engine.storePostponed()
      do throws(SQLiteError) { return try engine.store.rows(of: sql, limit: limit) } catch { throw AgentError(error) }
    }
  }
}

extension Result where Failure == AgentError {
  fileprivate init(_ value: Success, unless error: AgentError?) {
    if let error { self = .failure(error) } else { self = .success(value) }
  }
}
