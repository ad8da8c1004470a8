import SimplexJSON
import WireCodec

/// A category of commands. Its declarations are built from the functions of this protocol.
protocol CommandCategory: SendableMetatype {
  /// Declares the commands.
  static func declare(in commands: inout CommandDeclarations)
}

// The kinds of arguments that all categories use. The parameter is the name shown in usage lines.

extension CommandCategory {
  /// A decimal number that is not negative.
  static func number<Value: FixedWidthInteger & SendableMetatype>(_ name: String) -> Argument<Value> {
    Argument(
      "<\(name)>",
      read: { (reader) throws(WireError) -> Value in
        let start = reader.offset
        let number = try Codec<Value>.decimal.decode(&reader)
        guard number >= 0 else { throw WireError(.expected("a number that is not negative"), offset: start) }
        return number
      },
      write: { number, writer in writer.append(String(number)) })
  }
}

extension CommandCategory {
  /// An identifier.
  static func id(_ name: String) -> Argument<Int64> { number(name) }
}

extension CommandCategory {
  /// Identifiers with commas between them, at least one.
  static func ids(_ name: String) -> Argument<[Int64]> { id(name).list }
}

extension CommandCategory {
  /// `on` or `off`.
  static var onOff: Argument<Bool> {
    Argument(
      "on|off",
      read: { (reader) throws(WireError) -> Bool in
        if reader.take("on") { return true }
        if reader.take("off") { return false }
        throw reader.failure(.expected("on or off"))
      },
      write: { isOn, writer in writer.append(literal: isOn ? "on" : "off") })
  }

  /// ` name=on` or ` name=off`; absent means `absent`. Always written.
  static func flag(_ name: StaticString, default absent: Bool = false) -> Argument<Bool> {
    onOff.optional(after: name, default: absent)
  }

  /// An optional keyword.
  static func isPresent(_ text: StaticString) -> Argument<Bool> {
    Argument(
      "[\(text)]", read: { (reader) throws(WireError) -> Bool in reader.take(text) },
      write: { isPresent, writer in
        if isPresent { writer.append(literal: text) }
      })
  }
}

extension CommandCategory {
  /// Text up to the next space or the end, not empty.
  static func word(_ name: String) -> Argument<String> {
    Argument(
      "<\(name)>",
      read: { (reader) throws(WireError) -> String in
        let start = reader.offset
        guard let word = String(validating: reader.span { $0 != UInt8(ascii: " ") }), !word.isEmpty else {
          throw WireError(.expected("<\(name)>"), offset: start)
        }
        return word
      },
      write: { word, writer in writer.append(word) })
  }

  /// A word that satisfies a condition.
  static func word(_ name: String, _ isValid: @escaping @Sendable (String) -> Bool) -> Argument<String> {
    word(name).compactMap({ isValid($0) ? $0 : nil }, { $0 })
  }

  /// Everything up to the end as it stands; may be empty. White space at the very end of a command is not part of it.
  static func text(_ name: String) -> Argument<String> {
    Argument(
      "<\(name)>",
      read: { (reader) throws(WireError) -> String in
        let start = reader.offset
        guard let text = String(validating: reader.restSpan()) else {
          throw WireError(.expected("UTF-8 text"), offset: start)
        }
        return text
      },
      write: { text, writer in writer.append(text) })
  }

  /// A run of digits and spaces: a security code.
  static func digits(_ name: String) -> Argument<String> {
    Argument(
      "<\(name)>",
      read: { (reader) throws(WireError) -> String in
        let digits = reader.span { $0.isASCIIDigit || $0 == UInt8(ascii: " ") }
        return String(validating: digits) ?? ""
      },
      write: { digits, writer in writer.append(digits) })
  }
}

extension CommandCategory {
  /// JSON of a type up to the end.
  static func json<Value: JSONCodable & SendableMetatype>(_ type: Value.Type) -> Argument<Value> {
    json("\(type)")
  }

  /// JSON up to the end.
  static func json<Value: JSONCodable & SendableMetatype>(_ name: String) -> Argument<Value> {
    Argument(
      "<json \(name)>",
      read: { (reader) throws(WireError) -> Value in
        let start = reader.offset
        do throws(JSONError) {
          return try Value(jsonBytes: [UInt8](copying: reader.restSpan()), limits: .caller)
        } catch {
          throw WireError(.expected("JSON of \(name) (\(error))"), offset: start + (error.offset ?? 0))
        }
      },
      write: { value, writer in writer.append(value.jsonBytes()) })
  }
}

extension CommandCategory {
  /// One of these words and the value it stands for; of several words for one value the first is written.
  static func oneOf<Value: Equatable & Sendable>(
    _ name: String, _ words: KeyValuePairs<String, Value>
  ) -> Argument<Value> {
    let words = words.map { ($0.key, $0.value) }
    return word(name).compactMap(
      { word in words.first { $0.0 == word }?.1 }, { value in words.first { $0.1 == value }?.0 ?? "" }
    ).described(words.map(\.0).joined(separator: "|"))
  }

  /// The name of one of the cases.
  static func oneOf<Value: RawRepresentable<String> & Sendable>(_ name: String, _ cases: [Value]) -> Argument<Value> {
    let names = cases.map(\.rawValue).joined(separator: "|")
    return word(name).compactMap(
      { word in cases.first { $0.rawValue == word } }, { $0.rawValue }
    ).described(names)
  }
}
