import ChatAPI
import SimplexJSON

/// The name of a setting of the whole installation.
enum SettingName: String {
  case app
}

extension ChatTransaction {
  /// The settings that the app saved; nil where it never did.
  public func appSettings() throws(StoreError) -> AppSettings? { try setting(.app) }

  /// Saves the settings of the app.
  public func saveAppSettings(_ settings: AppSettings) throws(StoreError) { try save(settings, as: .app) }

  private func setting<Value: JSONDecodable>(_ name: SettingName) throws(StoreError) -> Value? {
    let value = try first("SELECT value FROM settings WHERE name = ?", name.rawValue) {
      (row) throws(SQLFailure) -> Value? in
      var at = ColumnIndex()
      return try row.optionalJSON(&at)
    }
    return value ?? nil
  }

  private func save(_ value: some JSONEncodable, as name: SettingName) throws(StoreError) {
    try execute(
      "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      name.rawValue, value.column)
  }
}
