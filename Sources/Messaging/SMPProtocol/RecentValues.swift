/// A cache of the values that were used last: at least `limit` and at most twice as many.
///
/// It has two generations: when `limit` values are in the young one, it becomes the old one, and the values of the
/// previous old one are dropped; using a value moves it to the young generation. An access costs that of a dictionary,
/// without an order to maintain.
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
      _ = insert(value, key)
      return value
    }
    set {
      if let newValue {
        _ = set(newValue, for: key)
      } else {
        old[key] = nil
        recent[key] = nil
      }
    }
  }

  /// Sets a value, and returns the values that are dropped for it: who holds a lock can release them after it.
  @inlinable
  public mutating func set(_ value: Value, for key: Key) -> [Key: Value] {
    old[key] = nil
    return insert(value, key)
  }

  /// Removes and returns a value, so that it can be changed in place and set again.
  @inlinable
  public mutating func take(_ key: Key) -> Value? { recent.removeValue(forKey: key) ?? old.removeValue(forKey: key) }

  /// Removes all values.
  @inlinable
  public mutating func removeAll() {
    recent = [:]
    old = [:]
  }

  @inlinable
  mutating func insert(_ value: Value, _ key: Key) -> [Key: Value] {
    var dropped: [Key: Value] = [:]
    if recent.count >= limit, recent[key] == nil {
      swap(&dropped, &old)
      swap(&old, &recent)
    }
    recent[key] = value
    return dropped
  }
}
