import AgentCore
import AgentProtocol
import AgentStore
import SMPProtocol

// Callers of operations. Operations are idempotent: repeating one that is in progress waits for the same tasks, and
// repeating one that is finished returns its result again.

/// The callers that wait for a task.
struct TaskCaller {
  /// Calls of this process.
  var calls: [CallID] = []
  /// The tag of the event that reports the outcome.
  var tag: CorrelationTag?
  /// Whether only calls wait: then no event reports the outcome, and a network failure fails the task.
  var isCall = false

  /// The call of an operation that has just begun.
  var call: CallID? { calls.first }
}

extension AgentMachine {
  /// The caller of an operation that begins.
  func caller(_ waiting: Waiting) -> TaskCaller {
    switch waiting {
    case .call: TaskCaller(calls: [makeCallID()], isCall: true)
    case .event(let tag): TaskCaller(tag: tag)
    }
  }

  /// The callers that wait for a task, to be passed on to the task that follows it.
  func caller(of task: AgentTask) -> TaskCaller {
    TaskCaller(calls: calls[task.id] ?? [], tag: task.tag, isCall: task.isCall)
  }

  /// Lets another caller wait for the tasks of an operation in progress; those that wait to be repeated are started.
  /// A call does not wait for the next attempt either, which may be hours away.
  func attach(_ caller: TaskCaller, to tasks: [AgentTask], in transaction: AgentTransaction) throws {
    for task in tasks {
      let isParked = task.notBefore == .max
      // If an event has to report the outcome, it still does, and the task is retried until it succeeds.
      if !caller.isCall || isParked || task.isCall {
        try store.setCaller(ofTask: task.id, isCall: caller.isCall, tag: caller.tag?.bytes)
      }
      if isParked { _ = try store.delayTask(task.id, attempts: task.attempts, until: 0) }
      transaction.change { self.calls[task.id, default: []] += caller.calls }
      if caller.isCall {
        try endWaiting(of: task.lane, in: transaction)
      } else {
        transaction.pump(task.lane)
      }
    }
  }

  /// A task as it is stored: its caller may have changed while it was in flight.
  func current(_ task: AgentTask) throws -> AgentTask {
    if task.kind == .sendMessage { return task }
    return try store.task(task.id) ?? task
  }

  /// Completes the calls that wait for a task; they no longer wait for other tasks of the same operation.
  func complete(_ task: AgentTask, with result: Result<CallOutcome, AgentError>, in transaction: AgentTransaction) {
    guard let answered = calls[task.id], !answered.isEmpty else { return }
    for call in answered { transaction.effect(.complete(call, result)) }
    transaction.change {
      for (other, waiting) in self.calls {
        let rest = waiting.filter { !answered.contains($0) }
        self.calls[other] = rest.isEmpty ? nil : rest
      }
    }
  }

  /// Emits the outcome of an operation, unless the same event was emitted and is not confirmed yet.
  func emitOnce(
    _ kind: AgentEvent.Kind, connection: ConnectionID, tag: CorrelationTag?, in transaction: AgentTransaction
  ) throws {
    if let form = try kind.storedPayload()?.first, try store.hasEvent(about: connection, tag: tag, form: form) {
      return
    }
    try emit(kind, connection: connection, tag: tag, in: transaction)
  }
}
