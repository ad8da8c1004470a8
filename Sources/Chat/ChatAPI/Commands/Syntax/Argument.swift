import WireCodec

/// One argument of a command: how it is written, how it is read, and what it looks like to a person.
///
/// An argument includes the separator before it, so that a command is its keyword and its arguments one after
/// another. Reading is total; writing never fails (a value that the syntax cannot hold is written as well as it goes,
/// and is then not read back).
struct Argument<Value>: Sendable {
  /// The usage text, such as ` <groupId>` or `[ incognito=on|off]`.
  let usage: String
  let read: @Sendable (inout Reader) throws(WireError) -> Value
  let write: @Sendable (Value, inout Writer) -> Void
  /// Whether a value contains a password, a passphrase or the key of a file.
  let holdsSecret: @Sendable (Value) -> Bool

  init(
    _ usage: String, read: @escaping @Sendable (inout Reader) throws(WireError) -> Value,
    write: @escaping @Sendable (Value, inout Writer) -> Void,
    holdsSecret: @escaping @Sendable (Value) -> Bool = { _ in false }
  ) {
    self.usage = usage
    self.read = read
    self.write = write
    self.holdsSecret = holdsSecret
  }
}

// MARK: - Secrets

extension Argument {
  /// The argument, whose values are secret: a command that has one is not kept anywhere, such as in the history of the
  /// terminal. ``after(_:)`` and the other combinations keep this property.
  /// - Parameter holdsSecret: which values, where not all of them are.
  func secret(where holdsSecret: @escaping @Sendable (Value) -> Bool = { _ in true }) -> Argument {
    Argument(usage, read: read, write: write, holdsSecret: holdsSecret)
  }
}

// MARK: - Combining

extension Argument {
  /// The argument with `separator` before it.
  func after(_ separator: StaticString) -> Argument {
    Argument(
      "\(separator)\(usage)",
      read: { (reader) throws(WireError) -> Value in
        guard reader.take(separator) else { throw reader.failure(.expected("\"\(separator)\(usage)\"")) }
        return try read(&reader)
      },
      write: { value, writer in
        writer.append(literal: separator)
        write(value, &writer)
      }, holdsSecret: holdsSecret)
  }

  /// The argument with `separator` before it, or nothing.
  ///
  /// Where the separator is there and what follows is not this argument, it counts as absent: another argument may
  /// begin in the same way.
  func optional(after separator: StaticString = " ") -> Argument<Value?> {
    Argument<Value?>(
      "[\(separator)\(usage)]",
      read: { (reader) throws(WireError) -> Value? in
        var ahead = reader
        guard ahead.take(separator) else { return nil }
        do throws(WireError) {
          let value = try read(&ahead)
          reader = ahead
          return value
        } catch {
          return nil
        }
      },
      write: { value, writer in
        guard let value else { return }
        writer.append(literal: separator)
        write(value, &writer)
      }, holdsSecret: { value in value.map(holdsSecret) ?? false })
  }

  /// The argument with `separator` before it; where it is absent, the value is `absent`. Always written.
  func optional(after separator: StaticString, default absent: Value) -> Argument where Value: Sendable {
    let argument = optional(after: separator)
    return argument.map({ $0 ?? absent }, { $0 })
  }

  /// The argument with `separator` before it; where it is absent, the value is `absent`, and that is not written.
  func omitted(after separator: StaticString, when absent: Value) -> Argument where Value: Sendable & Equatable {
    let argument = optional(after: separator)
    return argument.map({ $0 ?? absent }, { $0 == absent ? nil : $0 })
  }

  /// The same text for another type.
  func map<Other>(
    _ convert: @escaping @Sendable (Value) -> Other, _ back: @escaping @Sendable (Other) -> Value
  ) -> Argument<Other> {
    Argument<Other>(
      usage, read: { (reader) throws(WireError) -> Other in convert(try read(&reader)) },
      write: { value, writer in write(back(value), &writer) }, holdsSecret: { holdsSecret(back($0)) })
  }

  /// The same text for another type; if `convert` returns nil, the text is refused.
  func compactMap<Other>(
    _ convert: @escaping @Sendable (Value) -> Other?, _ back: @escaping @Sendable (Other) -> Value
  ) -> Argument<Other> {
    Argument<Other>(
      usage,
      read: { (reader) throws(WireError) -> Other in
        let start = reader.offset
        guard let value = convert(try read(&reader)) else { throw WireError(.expected(usage), offset: start) }
        return value
      },
      write: { value, writer in write(back(value), &writer) }, holdsSecret: { holdsSecret(back($0)) })
  }

  /// This argument or, where it does not fit, the other.
  func or(_ other: Argument) -> Argument {
    Argument(
      usage,
      read: { (reader) throws(WireError) -> Value in
        var ahead = reader
        do throws(WireError) {
          let value = try read(&ahead)
          reader = ahead
          return value
        } catch {
          return try other.read(&reader)
        }
      },
      write: write, holdsSecret: { holdsSecret($0) || other.holdsSecret($0) })
  }

  /// At least one of this argument, with a comma between them.
  var list: Argument<[Value]> { list(separator: ",") }

  /// At least one of this argument, with a separator between them.
  func list(separator: StaticString) -> Argument<[Value]> {
    Argument<[Value]>(
      "\(usage)\(separator)…",
      read: { (reader) throws(WireError) -> [Value] in
        var values: [Value] = []
        repeat { values.append(try read(&reader)) } while reader.take(separator)
        return values
      },
      write: { values, writer in
        for (index, value) in values.enumerated() {
          if index > 0 { writer.append(literal: separator) }
          write(value, &writer)
        }
      }, holdsSecret: { $0.contains(where: holdsSecret) })
  }

  /// This argument, or a word for nil.
  func orWord(_ word: StaticString) -> Argument<Value?> {
    Argument<Value?>(
      "\(usage)|\(word)",
      read: { (reader) throws(WireError) -> Value? in
        reader.take(word) ? nil : try read(&reader)
      },
      write: { value, writer in
        guard let value else { return writer.append(literal: word) }
        write(value, &writer)
      }, holdsSecret: { value in value.map(holdsSecret) ?? false })
  }

  /// This argument, or the word `default` for nil.
  var orDefault: Argument<Value?> { orWord("default") }

  /// The argument with `separator` after it.
  func followed(by separator: StaticString) -> Argument {
    Argument(
      "\(usage)\(separator)",
      read: { (reader) throws(WireError) -> Value in
        let value = try read(&reader)
        guard reader.take(separator) else { throw reader.failure(.expected("\"\(separator)\"")) }
        return value
      },
      write: { value, writer in
        write(value, &writer)
        writer.append(literal: separator)
      }, holdsSecret: holdsSecret)
  }

  /// The argument with another usage text.
  func described(_ usage: String) -> Argument {
    Argument(usage, read: read, write: write, holdsSecret: holdsSecret)
  }
}
