/// Whether a database has a schema that is known, by the names of the steps that were applied to it.
struct ReferenceVersion {
  /// All steps, in order.
  let known: [String]
  /// The last step of the oldest version that is accepted.
  let oldest: String

  /// Databases of chats, from version 6.3.0 on.
  static let chat = ReferenceVersion(known: KnownMigrations.chat, oldest: "20250130_indexes")
  /// Databases of agents, from version 6.3.0 on.
  static let agent = ReferenceVersion(known: KnownMigrations.agent, oldest: "m20250203_msg_bodies")

  /// Throws unless the steps are a beginning of the known ones, and not older than the oldest version.
  func verify(_ applied: [String], file: String) throws(ProfileImportError) {
    let applied = applied.sorted()
    for (index, name) in applied.enumerated() where index >= known.count || known[index] != name {
      if let last = known.last, name > last { throw .newer(file: file, migration: name) }
      throw .unknownVersion(file: file, migration: name)
    }
    guard applied.contains(oldest) else { throw .older(file: file, migration: applied.last ?? "") }
  }
}
