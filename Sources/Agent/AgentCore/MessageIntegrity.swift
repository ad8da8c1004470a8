/// Whether a received message follows the one before it. Source: agent-protocol.md, "Message integrity".
public enum MessageIntegrity: Hashable, Sendable {
  /// It does.
  case ok
  /// Messages with these numbers are missing (MsgSkipped).
  case skipped(from: Int64, to: Int64)
  /// Its number is lower than that of the message before it (MsgBadId).
  case badID(Int64)
  /// The sender's message before it was another one (MsgBadHash).
  case badHash
  /// It has the number of the message before it (MsgDuplicate).
  case duplicate

  /// Compares what a message says with what was received before.
  public init(number: Int64, previousHash: [UInt8], lastNumber: Int64, lastHash: [UInt8]) {
    let (next, overflow) = lastNumber.addingReportingOverflow(1)
    if number == lastNumber {
      self = .duplicate
    } else if overflow || number < lastNumber {
      self = .badID(number)
    } else if number > next {
      self = .skipped(from: next, to: number - 1)
    } else {
      self = previousHash == lastHash ? .ok : .badHash
    }
  }
}
