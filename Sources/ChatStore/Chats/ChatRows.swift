import ChatAPI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ChatTransaction {
  /// Makes the row that holds counters and settings of a chat.
  @discardableResult
  func createChat(
    _ kind: ChatKind, _ entity: Int64, user: Int64, listed: Bool = true, at time: Int64? = nil
  ) throws(StoreError) -> Int64 {
    try insert(
      "INSERT INTO chats (user_id, kind, entity_id, listed, ts) VALUES (?, ?, ?, ?, ?)", user, kind.rawValue, entity,
      listed, time ?? nowMicroseconds)
  }
}
