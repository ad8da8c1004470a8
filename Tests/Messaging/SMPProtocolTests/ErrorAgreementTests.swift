import ChatAPI
import Foundation
import SMPProtocol
import SimplexJSON
import SimplexTesting
import Testing

/// Errors of relays have two types each, one for the wire and one for the API. Both read and write the same JSON: every
/// value that the table of the API's types allows, to a depth of three, goes through both.
@Suite struct ErrorAgreementTests {
  /// The rows of `chat-api-types.tsv`: the members of the cases of a type; of records the case is empty.
  private static let table: [String: [(kind: String, tag: String, members: [(name: String, type: String)])]] = {
    let file = Vectors.folder.appendingPathComponent("chat-api-types.tsv")
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    return Dictionary(
      grouping: text.split(separator: "\n").compactMap { line -> (String, String, String, String)? in
        let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        return columns.count >= 5 ? (columns[0], columns[1], columns[3], columns[4]) : nil
      }, by: { $0.0 }
    ).mapValues { rows in
      rows.map { row in
        let members = row.3.split(separator: ";").map { member in
          let parts = member.split(separator: ":").map { $0.trimmingCharacters(in: .whitespaces) }
          return (name: parts[0], type: parts.count > 1 ? parts[1] : "")
        }
        return (kind: row.1, tag: row.2, members: members)
      }
    }
  }()

  /// Values of a type as JSON texts, with sums nested up to `depth`.
  private static func samples(of type: String, depth: Int = 3) -> [JSONValue] {
    if type.hasSuffix("?") { return [.null] + samples(of: String(type.dropLast()), depth: depth) }
    switch type {
    case "String": return ["", "a text with \"quotes\" and ö"]
    case "Int64", "Int": return [0, -1, .integer(.max)]
    default: break
    }
    guard let rows = table[type] else { return [] }
    return rows.flatMap { row -> [JSONValue] in
      if row.kind == "enum" { return row.tag.split(separator: " ").map { .string(String($0)) } }
      let isSum = row.kind.hasPrefix("sum")
      guard depth > 0 || !isSum || row.members.isEmpty else { return [] }
      let start: [JSONValue.Member] = isSum ? [JSONValue.Member("type", .string(row.tag))] : []
      return row.members.reduce([start]) { objects, member in
        samples(of: member.type, depth: isSum ? depth - 1 : depth).flatMap { value in
          objects.map { value.isNull ? $0 : $0 + [JSONValue.Member(member.name, value)] }
        }
      }.map { .object($0) }
    }
  }

  private func check<Wire: JSONCodable, API: JSONCodable>(
    _ type: String, _ wire: Wire.Type, _ api: API.Type, atLeast minimum: Int
  ) throws {
    let samples = Self.samples(of: type)
    #expect(samples.count >= minimum, "\(type)")
    for sample in samples {
      let text = sample.jsonText()
      for sums in [JSONSums.tagged, .singleField] {
        let fromWire = try Wire(jsonText: text).jsonText(sums: sums)
        let fromAPI = try API(jsonText: text).jsonText(sums: sums)
        #expect(fromWire == fromAPI, "\(text)")
        #expect(try API(jsonText: fromWire).jsonText() == Wire(jsonText: fromAPI).jsonText(), "\(text)")
      }
      // Nothing was lost on the way.
      let written = try JSONValue(jsonText: try Wire(jsonText: text).jsonText())
      #expect(written == sample, "\(text)")
    }
  }

  @Test func errorsOfRelays() throws {
    try check("ProtocolErrorType", SMPProtocol.ProtocolErrorType.self, ChatAPI.ProtocolErrorType.self, atLeast: 60)
    try check("BrokerErrorType", SMPProtocol.BrokerErrorType.self, ChatAPI.BrokerErrorType.self, atLeast: 20)
    try check("ProxyError", SMPProtocol.ProxyError.self, ChatAPI.ProxyError.self, atLeast: 40)
    try check("NameErrorType", SMPProtocol.NameErrorType.self, ChatAPI.NameErrorType.self, atLeast: 4)
    try check("NetworkError", SMPProtocol.NetworkError.self, ChatAPI.NetworkError.self, atLeast: 9)
    try check("BlockingInfo", SMPProtocol.BlockingInfo.self, ChatAPI.BlockingInfo.self, atLeast: 8)
    try check(
      "ProtocolCommandError", SMPProtocol.ProtocolCommandError.self, ChatAPI.ProtocolCommandError.self, atLeast: 6)
    try check(
      "ProtocolTransportError", SMPProtocol.ProtocolTransportError.self, ChatAPI.ProtocolTransportError.self,
      atLeast: 9)
  }
}

extension JSONValue {
  fileprivate var isNull: Bool { if case .null = self { true } else { false } }
}
