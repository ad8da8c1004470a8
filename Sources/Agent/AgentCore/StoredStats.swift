import DoubleRatchet
import SMPProtocol
import WireCodec

// The stored form of what events about queues and ratchets tell. Subscriptions are left out: they end with the process.

extension AgentConnectionStats {
  static let storedCodec = Codec<AgentConnectionStats>.record(
    Field("agentVersion", \.agentVersion, .integer),
    Field("receiveQueues", \.receiveQueues, ReceiveQueueInfo.storedCodec.list),
    Field("sendQueues", \.sendQueues, SendQueueInfo.storedCodec.list),
    Field("ratchetSync", \.ratchetSync, AgentRatchetSyncState.storedCodec),
    Field("ratchetSyncSupported", \.ratchetSyncSupported, .bool), Field("pqSupport", \.pqSupport, .bool),
    build: {
      AgentConnectionStats(
        agentVersion: $0, receiveQueues: $1, sendQueues: $2, ratchetSync: $3, ratchetSyncSupported: $4,
        subscription: $1.isEmpty ? nil : .notRequested, pqSupport: $5)
    })
}

extension ReceiveQueueInfo {
  fileprivate static let storedCodec = Codec<ReceiveQueueInfo>.record(
    Field("server", \.server, SMPServerAddress.codec), Field("status", \.status, AgentQueueStatus.storedCodec),
    Field("switchStatus", \.switchStatus, ReceiveSwitchStatus.storedCodec.optional),
    Field("canAbortSwitch", \.canAbortSwitch, .bool),
    build: {
      ReceiveQueueInfo(
        server: $0, status: $1, switchStatus: $2, canAbortSwitch: $3, subscription: .notRequested)
    })
}

extension SendQueueInfo {
  fileprivate static let storedCodec = Codec<SendQueueInfo>.record(
    Field("server", \.server, SMPServerAddress.codec), Field("status", \.status, AgentQueueStatus.storedCodec),
    Field("switchStatus", \.switchStatus, SendSwitchStatus.storedCodec.optional),
    build: { SendQueueInfo(server: $0, status: $1, switchStatus: $2) })
}

extension AgentQueueDirection {
  static let storedCodec = Codec<Bool>.bool.map({ $0 ? AgentQueueDirection.receive : .send }, { $0 == .receive })
}

extension AgentSwitchPhase {
  static let storedCodec = Codec<UInt8>.integer.compactMap(
    "a step of replacing a queue",
    { AgentSwitchPhase.allCases.indices.contains(Int($0)) ? AgentSwitchPhase.allCases[Int($0)] : nil },
    { UInt8(clamping: AgentSwitchPhase.allCases.firstIndex(of: $0) ?? 0) })
}

extension RawRepresentable where RawValue == Int64, Self: Sendable {
  static var storedCodec: Codec<Self> {
    Codec<Int64>.integer.compactMap("a known number", { Self(rawValue: $0) }, { $0.rawValue })
  }
}

extension RatchetError {
  /// The errors that applications distinguish; all others are a body that is not authentic.
  static let storedCodec = Codec<RatchetError>.tagged(
    "an error of a ratchet",
    Alternative("H", RatchetError.unknownHeader), Alternative("D", RatchetError.duplicateMessage),
    Alternative("K", RatchetError.unexpectedKEM), Alternative("C", RatchetError.chainExhausted),
    Alternative(
      "E", .integer, { .earlierMessage($0) }, { if case .earlierMessage(let count) = $0 { count } else { nil } }),
    Alternative(
      "S", .integer, { .tooManySkipped($0) }, { if case .tooManySkipped(let count) = $0 { count } else { nil } }),
    Alternative("B", Codec<Void>.empty, { _ in .bodyNotAuthentic }, { _ in () }))
}
