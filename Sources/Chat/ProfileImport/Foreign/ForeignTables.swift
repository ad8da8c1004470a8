/// The tables of the reference whose features are not there yet. Their rows are kept as they are (`foreign_rows`), for
/// a version that supports them, and are written back by an export.
enum ForeignTables: Int64, CaseIterable {
  // The numbers are stored.
  case chat = 0
  case agent = 1

  /// Their names; a table follows those that it refers to.
  var names: [String] {
    switch self {
    // Calls and linked devices.
    case .chat: ["calls", "remote_hosts", "remote_controllers"]
    // Push notifications.
    case .agent: ["ntf_servers", "ntf_tokens", "ntf_subscriptions", "ntf_tokens_to_delete"]
    }
  }

  /// Their columns with private keys and shared secrets.
  var secrets: Set<String> {
    switch self {
    case .chat: ["ca_key", "id_key", "dh_priv_key", "prev_dh_priv_key"]
    case .agent: ["tkn_priv_key", "tkn_priv_dh_key", "tkn_dh_secret"]
    }
  }
}
