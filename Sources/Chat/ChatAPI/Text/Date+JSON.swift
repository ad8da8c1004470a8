import FoundationTypes
import SimplexJSON

/// Dates are ISO-8601 texts in UTC with microseconds, see ``SimplexJSON/JSONDate``.
extension Date: JSONDecodable, JSONEncodable {
  /// Reads a text.
  public init(json: JSONNode) throws(JSONError) {
    self.init(timeIntervalSince1970: try JSONDate(json: json).secondsSince1970)
  }

  /// Writes the text.
  public func encode(to json: inout JSONWriter) {
    JSONDate(secondsSince1970: timeIntervalSince1970).encode(to: &json)
  }

  /// The date of an ISO-8601 text; nil if the text is not one.
  public init?(iso8601 text: String) {
    guard let date = JSONDate(iso8601: text) else { return nil }
    self.init(timeIntervalSince1970: date.secondsSince1970)
  }

  /// The date as ISO-8601 text, clamped to the years 0 to 9999.
  public var iso8601Text: String { JSONDate(secondsSince1970: timeIntervalSince1970).iso8601Text }
}
