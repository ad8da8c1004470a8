/// What a core says, in the order in which it happened there.
public enum ChatOutput: Sendable {
  /// An event, or an error outside of commands.
  case event(APIResult<ChatEvent>)
  /// What a command gave, by the number that its sender gave it. It knows of what the events before it tell, and of
  /// nothing that those after it tell.
  case response(UInt64, APIResult<ChatResponse>)

  /// The event; nil for a response.
  public var event: APIResult<ChatEvent>? { if case .event(let event) = self { event } else { nil } }
}

extension APIResult where R == ChatResponse {
  /// The result for a caller who expects a response of a certain part; one of another part is an error.
  public func part<Part: ChatAPIResult>(_: Part.Type = Part.self) -> APIResult<Part> {
    switch self {
    case .result(let response):
      guard let part = response as? Part ?? response.part as? Part else { return .error(response.unexpected) }
      return .result(part)
    case .error(let error): return .error(error)
    case .invalid(let type, let json): return .invalid(type: type, json: json)
    }
  }
}
