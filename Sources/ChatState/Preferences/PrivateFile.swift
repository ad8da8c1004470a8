import SimplexJSON

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Files that only their owner can read.
enum PrivateFile {
  /// The bytes of a file; nil if there is none.
  static func read(_ path: String) throws(PreferenceError) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw .file(path: path, code: errno)
    }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = buffer.withUnsafeMutableBytes { systemRead(file, $0.baseAddress, $0.count) }
      if count == 0 { return bytes }
      guard count > 0 else { throw .file(path: path, code: errno) }
      bytes += buffer[..<count]
    }
  }

  /// Puts a file with these bytes in the place of one, with mode 0600; its folders are made with mode 0700. After a
  /// crash there is the file before or the new one.
  static func replace(_ path: String, with bytes: [UInt8]) throws(PreferenceError) {
    try makeFolder(of: path)
    let new = path + ".new"
    let file = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .file(path: new, code: errno) }
    defer { close(file) }
    guard fchmod(file, 0o600) == 0 else { throw .file(path: new, code: errno) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemWrite(file, $0.baseAddress, $0.count) }
      guard count > 0 else { throw .file(path: new, code: errno) }
      rest = rest.dropFirst(count)
    }
    guard fsync(file) == 0, rename(new, path) == 0 else { throw .file(path: path, code: errno) }
  }

  private static func makeFolder(of path: String) throws(PreferenceError) {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
    let folder = String(path[..<slash])
    if mkdir(folder, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT else { throw .file(path: folder, code: errno) }
    try makeFolder(of: folder)
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw .file(path: folder, code: errno) }
  }

  private static func systemRead(_ file: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    #if canImport(Darwin)
      Darwin.read(file, buffer, count)
    #elseif canImport(Glibc)
      Glibc.read(file, buffer, count)
    #else
      Musl.read(file, buffer, count)
    #endif
  }

  private static func systemWrite(_ file: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    #if canImport(Darwin)
      Darwin.write(file, buffer, count)
    #elseif canImport(Glibc)
      Glibc.write(file, buffer, count)
    #else
      Musl.write(file, buffer, count)
    #endif
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
