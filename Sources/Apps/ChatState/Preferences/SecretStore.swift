import Synchronization

/// A place for passwords.
public protocol SecretStore: Sendable {
  /// The secret with a name.
  func get(_ name: SecretName) throws(PreferenceError) -> String?
  /// Keeps a secret under a name.
  func set(_ secret: String, _ name: SecretName) throws(PreferenceError)
  /// Removes the secret with a name; a no-op if there is none.
  func remove(_ name: SecretName) throws(PreferenceError)
}

/// The secrets of an app. Raw values are the names in the keychain.
public enum SecretName: String, CaseIterable, Hashable, Sendable {
  /// Passphrase of the database.
  case databasePassword
  /// Password that opens the app.
  case appPassword
  /// Password that destroys all data.
  case selfDestructPassword
}

/// Passphrase of the database.
public let kcDatabasePassword = SecretName.databasePassword
/// Password that opens the app.
public let kcAppPassword = SecretName.appPassword
/// Password that destroys all data.
public let kcSelfDestructPassword = SecretName.selfDestructPassword

/// Secrets that last as long as the process.
public final class MemorySecretStore: SecretStore {
  private let secrets = Mutex<[SecretName: String]>([:])

  /// A store without secrets.
  public init() {}

  /// The secret with a name.
  public func get(_ name: SecretName) -> String? { secrets.withLock { $0[name] } }
  /// Keeps a secret.
  public func set(_ secret: String, _ name: SecretName) { secrets.withLock { $0[name] = secret } }
  /// Removes a secret.
  public func remove(_ name: SecretName) { secrets.withLock { $0[name] = nil } }
}

/// Secrets in a file with mode 0600, which protects them from other accounts only. Used where the system has no
/// keychain.
public final class FileSecretStore: SecretStore {
  private let file: FilePreferenceStore

  /// Opens the file of an absolute path.
  public init(path: String) throws(PreferenceError) { file = try FilePreferenceStore(path: path) }

  /// The secret with a name.
  public func get(_ name: SecretName) -> String? { file.value(name.rawValue).flatMap(String.init(preference:)) }
  /// Keeps a secret.
  public func set(_ secret: String, _ name: SecretName) throws(PreferenceError) {
    try file.set(.string(secret), name.rawValue)
  }
  /// Removes a secret.
  public func remove(_ name: SecretName) throws(PreferenceError) { try file.set(nil, name.rawValue) }
}

#if canImport(Security)
  import Foundation
  import Security

  /// Secrets in the keychain, readable after the device was first unlocked, and only on this device.
  public struct KeychainStore: SecretStore {
    private let accessGroup: String?

    /// The keychain of the app, or of a group of an app and its extensions.
    public init(accessGroup: String? = nil) { self.accessGroup = accessGroup }

    /// The secret with a name.
    public func get(_ name: SecretName) throws(PreferenceError) -> String? {
      var query = query(name)
      query[kSecMatchLimit] = kSecMatchLimitOne
      query[kSecReturnData] = true
      var found: AnyObject?
      let status = SecItemCopyMatching(query as CFDictionary, &found)
      if status == errSecItemNotFound { return nil }
      guard status == errSecSuccess, let data = found as? Data else { throw .refused(code: status) }
      return String(decoding: data, as: UTF8.self)
    }

    /// Keeps a secret.
    public func set(_ secret: String, _ name: SecretName) throws(PreferenceError) {
      let values: [CFString: Any] = [
        kSecValueData: Data(secret.utf8), kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
      ]
      var status = SecItemUpdate(query(name) as CFDictionary, values as CFDictionary)
      if status == errSecItemNotFound {
        status = SecItemAdd(query(name).merging(values) { $1 } as CFDictionary, nil)
      }
      guard status == errSecSuccess else { throw .refused(code: status) }
    }

    /// Removes a secret.
    public func remove(_ name: SecretName) throws(PreferenceError) {
      let status = SecItemDelete(query(name) as CFDictionary)
      guard status == errSecSuccess || status == errSecItemNotFound else { throw .refused(code: status) }
    }

    private func query(_ name: SecretName) -> [CFString: Any] {
      var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: name.rawValue]
      if let accessGroup { query[kSecAttrAccessGroup] = accessGroup }
      return query
    }
  }
#endif
