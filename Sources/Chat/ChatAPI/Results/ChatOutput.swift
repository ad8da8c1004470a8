/// An output of the core. Outputs have the order in which they happened.
public enum ChatOutput: Sendable {
  /// An event, or an error outside of commands.
  case event(APIResult<ChatEvent>)
  /// An event or error of a mobile device that this one controls, with its database id.
  case remoteEvent(Int64, APIResult<ChatEvent>)
  /// The result of a command, with the number that its sender chose. It reflects the events before it, and
  /// nothing of those after it.
  case response(UInt64, APIResult<ChatResponse>)

  /// The event of this device; nil for others, and for a response.
  public var event: APIResult<ChatEvent>? { if case .event(let event) = self { event } else { nil } }
}

extension APIResult where R == ChatResponse {
  /// The result as one of a response enum, for callers that expect it; a response of another enum becomes an error.
  public func narrowed<Part: ChatAPIResult>(_: Part.Type = Part.self) -> APIResult<Part> {
    switch self {
    case .result(let response):
      guard let part = response as? Part ?? response.part as? Part else { return .error(response.unexpected) }
      return .result(part)
    case .error(let error): return .error(error)
    case .invalid(let type, let json): return .invalid(type: type, json: json)
    }
  }
}
