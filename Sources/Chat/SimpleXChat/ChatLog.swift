import AgentProtocol
import ChatAPI
import SMPProtocol

/// A line of the log of a chat core: a command with its result and duration, an event, or an error.
///
/// A line has names of commands, responses, events and errors, the hosts of servers, and durations. It has no names of
/// people, no contents, no links and no keys. The hosts include the user's own servers.
public struct ChatLogLine: Hashable, Sendable, CustomStringConvertible {
  /// The severity of a log line.
  public enum Level: String, Hashable, Sendable {
    /// A command or an event.
    case info
    /// A command that failed, or an error outside of commands.
    case error
  }

  /// The severity of the line.
  public let level: Level
  /// The line, such as `command apiSendMessages: newChatItems, 3 ms`, in ASCII and without an end of line.
  public let text: String

  /// The level and the text.
  public var description: String { "\(level.rawValue): \(text)" }

  /// A command that ended after a time.
  init(command: String, result: APIResult<ChatResponse>, after time: Duration) {
    let (seconds, attoseconds) = time.components
    let end = ", \(seconds * 1_000 + attoseconds / 1_000_000_000_000_000) ms"
    switch result {
    case .error(let error): self.init(.error, "command \(command): \(Self.names(of: error))\(end)")
    // The outer case is the part of the list of responses.
    case .result(let response): self.init(.info, "command \(command): \(Self.name(of: response, depth: 1))\(end)")
    case .invalid: self.init(.error, "command \(command): invalid\(end)")
    }
  }

  /// An event, or an error outside of commands.
  init(event: APIResult<ChatEvent>) {
    switch event {
    case .result(let event): self.init(.info, "event \(Self.name(of: event))")
    case .error(let error): self.init(.error, Self.names(of: error))
    case .invalid: self.init(.error, "event that cannot be read")
    }
  }

  private init(_ level: Level, _ text: String) {
    self.level = level
    self.text = text
  }

  /// The cases of an error, from the outer to the inner one, and the hosts of the server that it is about:
  /// `errorAgent BROKER TIMEOUT at smp.example.com`.
  static func names(of error: ChatError) -> String {
    var names: [String] = []
    var value: Any? = error
    while let current = value, names.count < 6 {
      names.append(name(of: current))
      value = payload(of: current).first { Mirror(reflecting: $0).displayStyle == .enum }
    }
    guard case .errorAgent(let agentError, _, _) = error, let server = agentError.server,
      let address = try? ServerAddress(parsing: server)
    else { return names.joined(separator: " ") }
    return "\(names.joined(separator: " ")) at \(address.hostnames.joined(separator: ","))"
  }

  /// The name of a case; with a depth, that of the case that it holds.
  private static func name(of value: Any, depth: Int = 0) -> String {
    if depth > 0, let inner = payload(of: value).first { return name(of: inner, depth: depth - 1) }
    let mirror = Mirror(reflecting: value)
    // A case without values is described by its name.
    return mirror.children.first?.label ?? "\(value)"
  }

  /// The associated values of an enum case.
  private static func payload(of value: Any) -> [Any] {
    guard let payload = Mirror(reflecting: value).children.first?.value else { return [] }
    let values = Mirror(reflecting: payload)
    return values.displayStyle == .tuple ? values.children.map(\.value) : [payload]
  }
}

extension AgentErrorType {
  /// The address of the server that the error is about; nil for none.
  fileprivate var server: String? {
    switch self {
    case .SMP(let server, _), .NTF(let server, _), .XFTP(let server, _), .BROKER(let server, _),
      .PROXY(_, let server, _), .NOTICE(let server, _, _):
      server
    default: nil
    }
  }
}
