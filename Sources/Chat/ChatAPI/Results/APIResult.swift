import FoundationTypes
import SimplexJSON

/// A command that has a textual form.
public protocol ChatCmdProtocol {
  /// The command as the core parses it.
  var cmdString: String { get }
}

/// A response or event: something that the core returns.
public protocol ChatAPIResult: JSONCodable, Sendable {
  /// The tag of the variant.
  var responseType: String { get }

  /// What the variant holds, for logs and developers.
  var details: String { get }

  /// The part of an unreadable result that can be recovered; nil if nothing can.
  ///
  /// - Parameters:
  ///   - type: The tag of the variant.
  ///   - json: The result, in any spelling of sums.
  static func fallbackResult(_ type: String, _ json: JSONNode) -> Self?
}

extension ChatAPIResult {
  /// The details of variants without members.
  public var noDetails: String { "\(responseType): no details" }

  /// The JSON text.
  public var details: String {
    let text = jsonText()
    return text == #"{"type":"\#(responseType)"}"# ? noDetails : text
  }

  /// Recovers nothing.
  public static func fallbackResult(_ type: String, _ json: JSONNode) -> Self? { nil }

  /// The error for a caller who expects another variant.
  public var unexpected: ChatError { .unexpectedResult(resultType: responseType) }
}

/// The result of a command: `{"result":…}` or `{"error":…}`, or neither if it could not be read.
public enum APIResult<R: ChatAPIResult>: Sendable {
  /// The response or event.
  case result(R)
  /// The error the core returned.
  case error(ChatError)
  /// A result that could not be read; `json` is the beginning of its text.
  case invalid(type: String, json: Data)

  /// The tag of the variant, or of the error.
  public var responseType: String {
    switch self {
    case .result(let result): result.responseType
    case .error(let error): "error \(error.errorType)"
    case .invalid(let type, _): "* \(type)"
    }
  }

  /// The error for a caller who expects another variant.
  public var unexpected: ChatError {
    switch self {
    case .result(let result): result.unexpected
    case .error(let error): error
    case .invalid(let type, _): .unexpectedResult(resultType: "* \(type)")
    }
  }
}

extension APIResult: JSONDecodable, JSONEncodable {
  /// Reads an object that has a `result` or an `error`.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    if fields.has("result") {
      self = .result(try fields.get("result"))
    } else {
      self = .error(try fields.get("error"))
    }
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) { encode(to: &json, remoteHostId: nil) }

  /// Writes the object, naming the remote host that it comes from.
  public func encode(to json: inout JSONWriter, remoteHostId: Int64?) {
    json.beginObject()
    json.field("remoteHostId", remoteHostId)
    switch self {
    case .result(let result): json.field("result", result)
    case .error(let error): json.field("error", error)
    case .invalid(let type, let data):
      json.field("error", ChatError.invalidJSON(json: "\(type): \(String(decoding: data, as: UTF8.self))"))
    }
    json.endObject()
  }
}

/// Reads what the C API returned. It never fails: what cannot be read is saved as far as possible.
///
/// 1. The whole text is read. If that fails,
/// 2. its outermost object is looked at:
/// 3. an error that could not be read becomes ``ChatError/invalidJSON(json:)``,
/// 4. a result is what `R.fallbackResult` can save of it, or invalid under its own type,
/// 5. and anything else is invalid.
public func decodeAPIResult<R: ChatAPIResult>(_ bytes: [UInt8]) -> APIResult<R> {
  guard let document = try? JSONDocument(parsing: bytes) else { return .invalid(type: "invalid", json: prefix(bytes)) }
  do {
    return try APIResult<R>(json: document.root)
  } catch {
    let text = prefix(bytes)
    return fallback(document.root, text) ?? .invalid(type: "invalid", json: text)
  }
}

/// Reads what the C API returned, see ``decodeAPIResult(_:)-([UInt8])``.
public func decodeAPIResult<R: ChatAPIResult>(_ data: Data) -> APIResult<R> {
  decodeAPIResult(Array(data))
}

private func fallback<R: ChatAPIResult>(_ json: JSONNode, _ text: Data) -> APIResult<R>? {
  guard var fields = try? json.fields() else { return nil }
  if let error: JSONValue = try? fields.get("error", as: JSONValue?.self) {
    return .error(.invalidJSON(json: error.jsonText()))
  }
  return try? fields.get("result", as: SavedResult<R>?.self)?.result(text)
}

/// The type of an unreadable result, and what was recovered of it.
private struct SavedResult<R: ChatAPIResult>: JSONDecodable {
  let type: String
  let saved: R?

  init(json: JSONNode) throws(JSONError) {
    type = (try? json.sum().tag) ?? "unknown"
    saved = R.fallbackResult(type, json)
  }

  func result(_ text: Data) -> APIResult<R> { saved.map { .result($0) } ?? .invalid(type: type, json: text) }
}

/// The beginning of a text, for logs.
private func prefix(_ bytes: [UInt8]) -> Data { Data(bytes.prefix(4096)) }
