import SimplexJSON

extension StoreError {
  /// The error as the reference's terminal shows it, for developers: `SENoteFolderNotFound {noteFolderId = 1}`.
  public var constructorText: String {
    guard let value = try? JSONValue(jsonText: jsonText(sums: .tagged)), let name = value["type"]?.stringValue else {
      return text
    }
    let fields = (value.members ?? []).filter { $0.key != "type" }
      .map { "\($0.key) = \(Self.shown($0.value))" }.joined(separator: ", ")
    return "SE\(name.prefix(1).uppercased())\(name.dropFirst())" + (fields.isEmpty ? "" : " {\(fields)}")
  }

  private static func shown(_ value: JSONValue) -> String {
    if case .bool(let value) = value { return value ? "True" : "False" }
    return value.jsonText()
  }
}
