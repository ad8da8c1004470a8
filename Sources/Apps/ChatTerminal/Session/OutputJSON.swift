import ChatAPI
import SimplexJSON

/// Responses and events as programs read them: `{"corrId":…,"resp":…}`, the identifier only in answers to a request.
struct OutputJSON: JSONEncodable {
  private enum Body {
    case value(any JSONEncodable)
    case failed(StaticString, ChatError)
  }

  private let corrId: String?
  private let body: Body

  private init(_ corrId: String?, _ body: Body) { (self.corrId, self.body) = (corrId, body) }

  /// The answer to a command.
  init(_ result: APIResult<ChatResponse>, corrId: String? = nil) {
    switch result {
    case .result(let response): self.init(corrId, .value(response))
    case .error(let error): self.init(refusal: error, corrId: corrId)
    case .invalid(let type, _): self.init(refusal: .unexpectedResult(resultType: type), corrId: corrId)
    }
  }

  /// The answer to a command that failed.
  init(refusal error: ChatError, corrId: String? = nil) { self.init(corrId, .failed("chatCmdError", error)) }

  /// An event.
  init(_ event: APIResult<ChatEvent>) {
    switch event {
    case .result(let event): self.init(nil, .value(event))
    case .error(let error): self.init(nil, .failed("chatError", error))
    case .invalid(let type, _): self.init(nil, .failed("chatError", .unexpectedResult(resultType: type)))
    }
  }

  func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("corrId", corrId)
    json.key("resp")
    switch body {
    case .value(let value): value.encode(to: &json)
    case .failed(let tag, let error): json.sum(tag, "chatError", error)
    }
    json.endObject()
  }
}
