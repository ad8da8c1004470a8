import SimplexJSON

extension JSONValue {
  /// Whether the value is an object without a member of this name, or where it is null.
  ///
  /// Unlike a comparison of `value?["name"]` with nil it does not hold where the object itself is missing.
  public func lacks(_ name: String) -> Bool {
    members != nil && (self[name] ?? .null) == .null
  }
}
