import ChatAPI
import FileAccess

/// A file that is written beside the screen.
enum LogFile {
  /// Adds lines at the end. The file is opened each time, so that it may be moved away; what cannot be written is lost.
  static func append(_ lines: [String], to path: String) {
    guard !lines.isEmpty else { return }
    try? WholeFile.append(lines.joined(separator: "\n") + "\n", to: path)
  }
}

extension ChatEvent {
  /// Whether the event concerns servers and connections, not people.
  var isForLog: Bool {
    switch self {
    case .subscriptionStatus, .hostConnected, .hostDisconnected, .connectionDisabled, .agentRcvQueuesDeleted,
      .agentConnsDeleted, .agentUserDeleted, .messageError, .timedAction:
      true
    default: false
    }
  }

  /// The line of the log about an event that the screen does not show; nil for other events.
  var logLine: String? {
    guard case .timedAction(let action, let milliseconds) = self else { return nil }
    return "\(action) took \(milliseconds) ms"
  }
}

extension String {
  /// Without white space at both ends.
  var trimmed: String { Substring(self).trimmed }
}

extension Substring {
  /// Without white space at both ends.
  var trimmed: String {
    let start = drop { $0.isWhitespace }
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(start[...last])
  }
}
