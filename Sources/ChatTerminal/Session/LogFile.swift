#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import ChatAPI

/// A file that is written beside the screen.
enum LogFile {
  /// Adds lines at the end. The file is opened each time, so that it may be moved away; what cannot be written is lost.
  static func append(_ lines: [String], to path: String) {
    guard !lines.isEmpty else { return }
    let file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0o600)
    guard file >= 0 else { return }
    defer { close(file) }
    StandardOutput.write(text: lines.joined(separator: "\n") + "\n", to: file)
  }
}

extension ChatEvent {
  /// Whether it tells of servers and connections, not of people.
  var isForLog: Bool {
    switch self {
    case .subscriptionStatus, .hostConnected, .hostDisconnected, .connectionDisabled, .agentRcvQueuesDeleted,
      .agentConnsDeleted, .agentUserDeleted, .messageError:
      true
    default: false
    }
  }
}
