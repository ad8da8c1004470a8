import ChatAPI

/// Values as Haskell's derived `Show` writes them: `BROKER {brokerAddress = "smp://…", brokerErr = TIMEOUT}`. The
/// reference's terminal shows errors so, and programs that read its output know these texts.
enum ConstructorText {
  /// The text of an error: the names of constructors and fields are those of its cases, with the prefixes that the
  /// reference's types have.
  static func of(_ value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    // First, because a cast also succeeds for what an optional holds.
    if mirror.displayStyle == .optional {
      return mirror.children.first.map { "Just \(argument($0.value))" } ?? "Nothing"
    }
    switch value {
    case let value as Bool: return value ? "True" : "False"
    case let value as String: return quoted(value)
    default: break
    }
    switch mirror.displayStyle {
    case .collection: return "[\(mirror.children.map { of($0.value) }.joined(separator: ","))]"
    case .struct: return "\(type(of: value))" + fields(mirror)
    case .enum:
      guard let payload = mirror.children.first, let name = payload.label else { return constructor("\(value)", value) }
      let values = Mirror(reflecting: payload.value)
      guard values.displayStyle == .tuple else { return "\(constructor(name, value)) \(argument(payload.value))" }
      return constructor(name, value) + fields(values)
    default: return "\(value)"
    }
  }

  /// A text in quotation marks. Other characters than those of ASCII are numbers, and an empty escape separates a
  /// number from a digit.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    var endsWithNumber = false
    for scalar in text.unicodeScalars {
      let isNumber = scalar.value < 0x20 || scalar.value > 0x7e
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      case "\r": quoted += "\\r"
      case _ where isNumber: quoted += "\\\(scalar.value)"
      case "0"..."9" where endsWithNumber: quoted += "\\&\(scalar)"
      default: quoted.unicodeScalars.append(scalar)
      }
      endsWithNumber = isNumber && !["\n", "\t", "\r"].contains(scalar)
    }
    return quoted + "\""
  }

  private static func fields(_ mirror: Mirror) -> String {
    let fields = mirror.children.map { "\($0.label ?? "") = \(of($0.value))" }
    return fields.isEmpty ? "" : " {\(fields.joined(separator: ", "))}"
  }

  private static func argument(_ value: Any) -> String {
    let text = of(value)
    return text.contains(" ") && text.first != "\"" ? "(\(text))" : text
  }

  private static func constructor(_ name: String, _ value: Any) -> String {
    let prefix =
      switch value {
      case is StoreError: "SE"
      case is NetworkError: "NE"
      case is ProtocolTransportError: "TE"
      case is ProxyClientError: "Proxy"
      case is RCErrorType: "RCE"
      case is BlockingReason: "BR"
      case is ConnStatus: "Conn"
      default: ""
      }
    return prefix + name.prefix(1).uppercased() + name.dropFirst()
  }
}
