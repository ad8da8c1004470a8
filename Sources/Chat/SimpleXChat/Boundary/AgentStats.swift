import AgentCore
import ChatAPI

// What the agent knows of connections, as the API shows it.

extension ConnectionStats {
  init(_ stats: AgentConnectionStats) {
    self.init(
      connAgentVersion: Int(stats.agentVersion),
      rcvQueuesInfo: stats.receiveQueues.map { queue in
        RcvQueueInfo(
          rcvServer: queue.server.description, status: QueueStatus(queue.status),
          rcvSwitchStatus: queue.switchStatus.map { RcvSwitchStatus($0) }, canAbortSwitch: queue.canAbortSwitch,
          subStatus: SubscriptionStatus(queue.subscription))
      },
      sndQueuesInfo: stats.sendQueues.map { queue in
        SndQueueInfo(
          sndServer: queue.server.description, status: QueueStatus(queue.status),
          sndSwitchStatus: queue.switchStatus.map { SndSwitchStatus($0) })
      },
      ratchetSyncState: RatchetSyncState(stats.ratchetSync), ratchetSyncSupported: stats.ratchetSyncSupported,
      subStatus: stats.subscription.map { SubscriptionStatus($0) })
  }
}

extension QueueStatus {
  init(_ status: AgentQueueStatus) {
    self =
      switch status {
      case .new: .new
      case .confirmed: .confirmed
      case .secured: .secured
      case .active: .active
      case .disabled: .disabled
      }
  }
}

extension RcvSwitchStatus {
  init(_ status: ReceiveSwitchStatus) {
    self =
      switch status {
      case .started: .switchStarted
      case .sendingQADD: .sendingQADD
      case .sendingQUSE: .sendingQUSE
      case .receivedMessage: .receivedMessage
      }
  }
}

extension SndSwitchStatus {
  init(_ status: SendSwitchStatus) {
    self =
      switch status {
      case .sendingQKEY: .sendingQKEY
      case .sendingQTEST: .sendingQTEST
      }
  }
}

extension SubscriptionStatus {
  init(_ state: SubscriptionState) {
    self =
      switch state {
      case .active: .active
      case .pending: .pending
      case .removed(let error): .removed(subError: "\(error)")
      case .notRequested: .noSub
      }
  }
}

extension RatchetSyncState {
  init(_ state: AgentRatchetSyncState) {
    self =
      switch state {
      case .ok: .ok
      case .allowed: .allowed
      case .required: .required
      case .started: .started
      case .agreed: .agreed
      }
  }
}

extension QueueDirection {
  init(_ direction: AgentQueueDirection) { self = direction == .receive ? .rcv : .snd }
}

extension SwitchPhase {
  init(_ phase: AgentSwitchPhase) {
    self =
      switch phase {
      case .started: .started
      case .confirmed: .confirmed
      case .secured: .secured
      case .completed: .completed
      }
  }
}

extension MsgErrorType {
  /// Nil for a message that follows the one before it.
  init?(_ integrity: MessageIntegrity) {
    switch integrity {
    case .ok: return nil
    case .skipped(let from, let to): self = .msgSkipped(fromMsgId: from, toMsgId: to)
    case .badID(let id): self = .msgBadId(msgId: id)
    case .badHash: self = .msgBadHash
    case .duplicate: self = .msgDuplicate
    }
  }
}
