/// A dictionary of the values that were used last: at least `limit` and at most twice as many.
///
/// When `limit` values are recent, they all grow old at once and what was old is dropped; a use makes a value recent.
/// That costs a dictionary's access and no order of its own.
@frozen
public struct RecentValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  @usableFromInline let limit: Int
  @usableFromInline var recent: [Key: Value] = [:]
  @usableFromInline var old: [Key: Value] = [:]

  /// No values.
  @inlinable
  public init(limit: Int) { self.limit = max(1, limit) }

  /// The value of a key; setting it, or nil, replaces it.
  @inlinable
  public subscript(key: Key) -> Value? {
    mutating get {
      if let value = recent[key] { return value }
      guard let value = old.removeValue(forKey: key) else { return nil }
      insert(value, key)
      return value
    }
    set {
      old[key] = nil
      if let newValue { insert(newValue, key) } else { recent[key] = nil }
    }
  }

  /// Removes a value and gives it, so that it can be changed in place and set again.
  @inlinable
  public mutating func take(_ key: Key) -> Value? { recent.removeValue(forKey: key) ?? old.removeValue(forKey: key) }

  /// Forgets everything.
  @inlinable
  public mutating func removeAll() {
    recent = [:]
    old = [:]
  }

  @inlinable
  mutating func insert(_ value: Value, _ key: Key) {
    if recent.count >= limit, recent[key] == nil {
      old = recent
      recent = [:]
    }
    recent[key] = value
  }
}
