import ChatAPI

/// The kinds of chats, as the database numbers them.
enum ChatKind: Int64 {
  case direct = 0
  case group = 1
  case notes = 2
  /// Deleted; its items go in batches.
  case purged = 9
}
