import SMPClientCore
import SMPProtocol

/// What becomes of a message that could not be sent. Source: agent-protocol.md; the reference agent's delivery of
/// messages.
public enum SendVerdict: Hashable, Sendable {
  /// It is retried soon; whether the application gets a warning.
  case retry(warns: Bool)
  /// It is retried later, or when the recipient says that its queue has room again.
  case wait
  /// It waited too long, as did those that were accepted this long ago (milliseconds).
  case expire(age: Int64)
  /// It will never succeed; with a reason other than the relay's, if that is more specific.
  case giveUp(AgentError?)

  /// Decides by the error, what the message is for, and how long ago it was accepted, in milliseconds.
  public init(
    _ error: SMPClientError, purpose: MessagePurpose, age: Int64, _ configuration: AgentConfiguration
  ) {
    switch error {
    case .relay(.QUOTA):
      if purpose.isConfirmation {
        self = .giveUp(.connection(.notAvailable))
      } else {
        self = age > configuration.quotaTimeout ? .expire(age: configuration.quotaTimeout) : .wait
      }
    case .relay(.AUTH):
      switch purpose {
      case .confirmation, .confirmationReply, .ratchetKey, .hello: self = .giveUp(.connection(.notAvailable))
      case .addQueue: self = .giveUp(.peer(.queue("QADD: AUTH")))
      case .queueKey: self = .giveUp(.peer(.queue("QKEY: AUTH")))
      case .useQueue: self = .giveUp(.peer(.queue("QUSE: AUTH")))
      case .testQueue: self = .giveUp(.peer(.queue("QTEST: AUTH")))
      case .message, .receipt, .continueQueue, .ratchetReady: self = .giveUp(nil)
      }
    case _ where error.isTemporary || error.isHostError:
      if age > configuration.messageTimeout {
        self = .expire(age: configuration.messageTimeout)
      } else {
        self = .retry(warns: error.isHostError)
      }
    default: self = .giveUp(nil)
    }
  }
}

extension MessagePurpose {
  /// Whether it is the first message of a side.
  public var isConfirmation: Bool { self == .confirmation || self == .confirmationReply }

  /// Whether it is a step of replacing a queue.
  public var isSwitching: Bool { [.addQueue, .queueKey, .useQueue, .testQueue].contains(self) }
}
