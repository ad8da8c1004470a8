import Synchronization

/// Where preferences are kept. Values are of the few types of ``PreferenceValue``; ``Preferences`` makes them typed.
public protocol PreferenceStore: Sendable {
  /// The value with a name.
  func value(_ name: String) -> PreferenceValue?
  /// Stores a value under a name, or removes it if nil; durable when it returns.
  func set(_ value: PreferenceValue?, _ name: String) throws(PreferenceError)
}

/// Why a preference or secret could not be stored or read.
public enum PreferenceError: Error, Hashable, Sendable {
  /// A file or folder could not be used; `code` is the system's number of the error.
  case file(path: String, code: Int32)
  /// A file holds something else than preferences. It is not overwritten.
  case damaged(path: String)
  /// The system's keychain or secret service refused.
  case refused(code: Int32)
}

/// Preferences that last as long as the process, for tests and previews.
public final class MemoryPreferenceStore: PreferenceStore {
  private let values: Mutex<[String: PreferenceValue]>

  /// A store with these values.
  public init(_ values: [String: PreferenceValue] = [:]) { self.values = Mutex(values) }

  /// The value with a name.
  public func value(_ name: String) -> PreferenceValue? { values.withLock { $0[name] } }
  /// Keeps a value under a name.
  public func set(_ value: PreferenceValue?, _ name: String) { values.withLock { $0[name] = value } }
}

/// Preferences in a JSON file that only its owner can read, replaced as a whole at every change.
public final class FilePreferenceStore: PreferenceStore {
  private let path: String
  private let values: Mutex<[String: PreferenceValue]>

  /// Opens the file of an absolute path; it is made with its folders at the first change.
  ///
  /// - Throws: If the file cannot be read, or is no file of preferences.
  public init(path: String) throws(PreferenceError) {
    self.path = path
    values = Mutex(try Self.read(path))
  }

  /// The value with a name.
  public func value(_ name: String) -> PreferenceValue? { values.withLock { $0[name] } }

  /// Keeps a value under a name. If the file cannot be written, the value before stays.
  public func set(_ value: PreferenceValue?, _ name: String) throws(PreferenceError) {
    try values.withLock { (values) throws(PreferenceError) in
      guard values[name] != value else { return }
      var changed = values
      changed[name] = value
      try PrivateFile.replace(path, with: PreferenceFile.bytes(of: changed))
      values = changed
    }
  }

  private static func read(_ path: String) throws(PreferenceError) -> [String: PreferenceValue] {
    guard let bytes = try PrivateFile.read(path) else { return [:] }
    guard let values = PreferenceFile.values(of: bytes) else { throw .damaged(path: path) }
    return values
  }
}
