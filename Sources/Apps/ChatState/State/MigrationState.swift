import ChatAPI

/// How to open a database that needs changes first. Raw values are the C API's.
public enum MigrationConfirmation: String, CaseIterable, Hashable, Sendable {
  /// Upgrade without asking.
  case yesUp
  /// Upgrade and downgrade without asking.
  case yesUpDown
  /// Ask.
  case error
}

/// Moving to this device: the steps.
public enum MigrationToState: Hashable, Sendable {
  case pasteOrScanLink
  case linkDownloading(link: String)
  case downloadProgress(downloadedBytes: Int64, totalBytes: Int64, fileId: Int64, link: String, archivePath: String)
  case downloadFailed(totalBytes: Int64, link: String, archivePath: String)
  case archiveImport(archivePath: String)
  case archiveImportFailed(archivePath: String)
  case passphrase(passphrase: String)
  case migrationConfirmation(status: DBMigrationResult, passphrase: String, useKeychain: Bool)
  case migration(passphrase: String, confirmation: MigrationConfirmation, useKeychain: Bool)
  case onion(appSettings: AppSettings)

  /// What happened during a move.
  public enum Fact: Hashable, Sendable {
    case linkGiven(String)
    case downloadStarted(fileId: Int64, totalBytes: Int64, archivePath: String)
    case downloaded(bytes: Int64)
    case downloadEnded(succeeded: Bool)
    case imported(succeeded: Bool)
    case passphraseTested(DBMigrationResult, passphrase: String, useKeychain: Bool)
    case confirmed(MigrationConfirmation)
    case retried
  }

  /// The next step; the same one for a fact that does not belong to it.
  public func next(_ fact: Fact) -> MigrationToState {
    switch (self, fact) {
    case (.pasteOrScanLink, .linkGiven(let link)): .linkDownloading(link: link)
    case (.linkDownloading(let link), .downloadStarted(let fileId, let total, let path)):
      .downloadProgress(downloadedBytes: 0, totalBytes: total, fileId: fileId, link: link, archivePath: path)
    case (.downloadProgress(_, let total, let fileId, let link, let path), .downloaded(let bytes)):
      .downloadProgress(
        downloadedBytes: min(bytes, total), totalBytes: total, fileId: fileId, link: link, archivePath: path)
    case (.downloadProgress(_, let total, _, let link, let path), .downloadEnded(let succeeded)):
      succeeded ? .archiveImport(archivePath: path) : .downloadFailed(totalBytes: total, link: link, archivePath: path)
    case (.linkDownloading(let link), .downloadEnded(succeeded: false)):
      .downloadFailed(totalBytes: 0, link: link, archivePath: "")
    case (.downloadFailed(_, let link, _), .retried): .linkDownloading(link: link)
    case (.archiveImport(let path), .imported(let succeeded)):
      succeeded ? .passphrase(passphrase: "") : .archiveImportFailed(archivePath: path)
    case (.archiveImportFailed(let path), .retried): .archiveImport(archivePath: path)
    case (.passphrase, .passphraseTested(let status, let passphrase, let useKeychain)):
      switch status {
      case .ok: .migration(passphrase: passphrase, confirmation: .yesUp, useKeychain: useKeychain)
      case .errorMigration:
        .migrationConfirmation(status: status, passphrase: passphrase, useKeychain: useKeychain)
      default: self
      }
    case (.migrationConfirmation(_, let passphrase, let useKeychain), .confirmed(let confirmation)):
      .migration(passphrase: passphrase, confirmation: confirmation, useKeychain: useKeychain)
    default: self
    }
  }
}
