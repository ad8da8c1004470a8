import ChatAPI
import ChatStore
import ProfileImport
import SQLiteKit
import SimplexCrypto

// Databases of the reference implementation that are where ours would be: an app whose core is replaced by this one.

extension ChatController {
  /// The name of the step that imports a profile of the reference, among the steps of an upgrade.
  public static let referenceImportStep = "import_of_the_reference_profile"

  /// Imports databases of the reference in their place. The caller holds the lease.
  ///
  /// It is a step of an upgrade: nothing is done unless that was confirmed, and where something would be lost, unless
  /// that was confirmed with `yesUpDown`.
  /// - Returns: false where there are none.
  static func importReferenceProfile(
    _ options: ChatOptions, _ passphrase: SecretBytes?
  ) throws(ChatOpeningError) -> Bool {
    guard isReference(options.chatDatabase, passphrase) else { return false }
    let isConfirmed = options.confirmation == .yesUp || options.confirmation == .yesUpDown
    guard isConfirmed, options.importsReferenceProfiles else {
      throw ChatOpeningError(
        .errorMigration(
          dbFile: options.chatDatabase,
          migrationError: .upgrade(upMigrations: [UpMigration(upName: referenceImportStep, withDown: false)])))
    }
    var profile = importInPlace(options, passphrase)
    profile.acceptsLosses = options.confirmation == .yesUpDown
    var tenths = 0
    do throws(ProfileImportError) {
      _ = try profile.run { done, total in
        // Of a damaged database the total may be too small.
        let reached = total > 0 ? min(10, done * 10 / total) : 0
        guard reached > tenths else { return }
        tenths = reached
        options.importProgress?(tenths * 10)
      }
    } catch {
      throw ChatOpeningError(error.migrationResult(file: options.chatDatabase))
    }
    return true
  }

  /// Completes the note of an import whose databases are in place, if the program ended before it could. The note only
  /// keeps the same state from being imported again, so that a failure does not matter.
  static func noteImported(_ options: ChatOptions, _ passphrase: SecretBytes?) {
    try? importInPlace(options, passphrase).noteRecovered()
  }

  private static func importInPlace(_ options: ChatOptions, _ passphrase: SecretBytes?) -> ProfileImport {
    var profile = ProfileImport(from: options.databasePrefix, to: options.databasePrefix)
    (profile.sourcePassphrase, profile.targetPassphrase) = (passphrase, passphrase)
    profile.holdsLease = true
    return profile
  }

  /// Whether a file is a database of the reference that the passphrase opens. What else is wrong with it is reported
  /// where it is opened.
  private static func isReference(_ file: String, _ passphrase: SecretBytes?) -> Bool {
    do throws(SQLiteKit.SQLiteError) {
      let key = try passphrase.map { (secret) throws(SQLiteKit.SQLiteError) in
        try DatabaseKey(passphrase: secret, forFile: file)
      }
      try ChatDatabase.verify(file, key: key)
      return false
    } catch {
      if case .foreign(.withMigrations) = error.kind { return true }
      return false
    }
  }
}

extension ProfileImportError {
  /// The error as the C interface shows it.
  func migrationResult(file: String) -> DBMigrationResult {
    switch self {
    case .notADatabase(let file): .errorNotADatabase(dbFile: file)
    // Apps show the list, say that data may be lost, and let the user continue with `yesUpDown`.
    case .wouldLose(let report):
      .errorMigration(dbFile: file, migrationError: .downgrade(downMigrations: report.lossLines))
    case .notRetired, .notNoted: .errorSQL(dbFile: file, migrationSQLError: description)
    default:
      .errorSQL(
        dbFile: file, migrationSQLError: "the profile of the reference app was not imported: \(description)")
    }
  }
}
