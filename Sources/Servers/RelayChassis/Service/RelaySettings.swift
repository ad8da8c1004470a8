/// What the ini file of a relay says.
public protocol RelaySettings: Sendable {
  /// Where the files of the relay are.
  associatedtype Folders: RelayFolders

  /// Reads the settings and certificates.
  init(_ ini: ServerINI, _ folders: Folders) throws(RelayError)

  /// What the operator is told when the relay starts: settings without effect, and what cannot be used, a sentence
  /// each.
  var warnings: [String] { get }

  /// The address that clients use, with the password or without; `port` is the one that is bound, where the system
  /// chose it.
  func address(fingerprint: [UInt8], showsPassword: Bool, port: Int?) -> String
}
