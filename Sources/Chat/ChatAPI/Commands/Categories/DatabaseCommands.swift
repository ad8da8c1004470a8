/// Encryption, export and import of the databases (specification section 2.11).
enum DatabaseCommands: CommandCategory {
  static func declare(in commands: inout CommandDeclarations) {
    commands.command(
      "apiStorageEncryption", "/_db encryption ", remotely: .local,
      json(DBEncryptionConfig.self).secret(),
      make: ChatCommand.apiStorageEncryption,
      match: { if case .apiStorageEncryption(let config) = $0 { config } else { nil } })
    commands.command(
      "testStorageEncryption", "/db test key ", remotely: .refused,
      databaseKey,
      make: ChatCommand.testStorageEncryption,
      match: { if case .testStorageEncryption(let key) = $0 { key } else { nil } })
    commands.command(
      "apiExportArchive", "/_db export ", remotely: .local,
      json(ArchiveConfig.self),
      make: ChatCommand.apiExportArchive,
      match: { if case .apiExportArchive(let config) = $0 { config } else { nil } })
    commands.command(
      "apiImportArchive", "/_db import ", remotely: .local,
      json(ArchiveConfig.self),
      make: ChatCommand.apiImportArchive,
      match: { if case .apiImportArchive(let config) = $0 { config } else { nil } })
    commands.command(
      "apiDeleteStorage", "/_db delete", remotely: .local,
      make: { .apiDeleteStorage }, match: { if case .apiDeleteStorage = $0 { () } else { nil } })
    declareShortForms(in: &commands)
  }

  /// The short forms of `/_db encryption`; the command is printed in the long form.
  private static func declareShortForms(in commands: inout CommandDeclarations) {
    @Sendable func encryption(_ currentKey: String, _ newKey: String) -> ChatCommand {
      .apiStorageEncryption(config: DBEncryptionConfig(currentKey: currentKey, newKey: newKey, keepKey: false))
    }
    commands.command(
      "apiStorageEncryption", "/db encrypt ", remotely: .local, databaseKey, make: { encryption("", $0) },
      match: { _ in nil })
    commands.command(
      "apiStorageEncryption", "/db key ", remotely: .local, databaseKey, databaseKey.after(" "),
      make: { encryption($0, $1) },
      match: { _ in nil })
    commands.command(
      "apiStorageEncryption", "/db decrypt ", remotely: .local, databaseKey, make: { encryption($0, "") },
      match: { _ in nil })
  }
}
