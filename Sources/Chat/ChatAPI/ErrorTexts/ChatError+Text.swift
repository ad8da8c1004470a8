extension ChatError: CustomStringConvertible {
  /// The error, described for users: its ``text``.
  public var description: String { text }

  /// The error, described for users.
  public var text: String {
    switch self {
    case .error(let error): error.text
    case .errorAgent(let error, _, _): error.text
    case .errorStore(let error): error.text
    case .errorDatabase(let error): error.text
    case .errorRemoteCtrl(let error): error.text
    case .errorRemoteHost(_, let error): error.text
    case .invalidJSON(let json): "The response could not be read: \(json.prefix(200))"
    case .unexpectedResult(let type): "Unexpected response: \(type)"
    }
  }
}
