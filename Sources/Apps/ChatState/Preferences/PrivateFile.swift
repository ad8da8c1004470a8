import FileAccess
import SimplexJSON

/// Files that only their owner can read.
enum PrivateFile {
  /// The bytes of a file; nil if there is none.
  static func read(_ path: String) throws(PreferenceError) -> [UInt8]? {
    do { return try WholeFile.read(path) } catch {
      if error.operation == .open, error.isMissing { return nil }
      throw .file(path: path, code: error.code)
    }
  }

  /// Replaces the file atomically, with mode 0600; its folders are created with mode 0700.
  static func replace(_ path: String, with bytes: [UInt8]) throws(PreferenceError) {
    do throws(FileError) {
      if let folder = Folder.parent(of: path) { try Folder.create(folder) }
      try WholeFile.replace(path, with: bytes)
    } catch {
      throw .file(path: error.path, code: error.code)
    }
  }
}

/// The text of a file of preferences: an object of truth values, numbers, texts and lists of texts.
enum PreferenceFile {
  /// The file of values, in the order of their names.
  static func bytes(of values: [String: PreferenceValue]) -> [UInt8] {
    let members = values.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, json($0.value)) }
    return Array(JSONValue.object(members).jsonText().utf8)
  }

  /// The values of a file; nil if it is not one. Members of other types, of a newer version, are left out.
  static func values(of bytes: [UInt8]) -> [String: PreferenceValue]? {
    guard let document = try? JSONDocument(parsing: bytes), let json = try? JSONValue(json: document.root),
      let members = json.members
    else { return nil }
    var values: [String: PreferenceValue] = [:]
    for member in members { values[member.key] = value(member.value) }
    return values
  }

  private static func json(_ value: PreferenceValue) -> JSONValue {
    switch value {
    case .bool(let value): .bool(value)
    case .integer(let value): .integer(value)
    case .double(let value): value.isFinite ? .object([JSONValue.Member("number", .string("\(value)"))]) : .null
    case .string(let value): .string(value)
    case .strings(let values): .array(values.map { .string($0) })
    }
  }

  private static func value(_ json: JSONValue) -> PreferenceValue? {
    switch json {
    case .bool(let value): .bool(value)
    case .integer(let value): .integer(value)
    case .number(let text): Double(text).map { .double($0) }
    case .string(let value): .string(value)
    case .array(let elements): .strings(elements.compactMap(\.stringValue))
    case .object: json["number"]?.stringValue.flatMap { Double($0) }.map { .double($0) }
    case .null: nil
    }
  }
}
