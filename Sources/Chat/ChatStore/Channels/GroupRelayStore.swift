import ChatAPI
import SQLiteKit

/// The relays of channels as their owner knows them.
public struct GroupRelayStore {
  let transaction: ChatTransaction

  private static let columns = "group_relay_id, member_id, relay, status, link, web_domain"

  /// The relays of a channel, in the order in which they were invited.
  public func all(ofGroup id: Int64) throws(StoreError) -> [GroupRelay] {
    try transaction.all(
      "SELECT \(Self.columns) FROM group_relays WHERE group_id = ? ORDER BY group_relay_id", id, row: readRelay)
  }

  /// The relay that a member is; nil for other members.
  public func relay(ofMember id: Int64) throws(StoreError) -> GroupRelay? {
    try transaction.first("SELECT \(Self.columns) FROM group_relays WHERE member_id = ?", id, row: readRelay)
  }

  /// Adds a relay, which is to be invited.
  /// - Parameter member: the relay as a member, a database id.
  public func add(_ relay: UserChatRelay, asMember member: Int64, toGroup id: Int64) throws(StoreError) -> GroupRelay {
    let number = try transaction.insert(
      """
      INSERT INTO group_relays (group_id, member_id, relay, status, created_at, updated_at) \
      VALUES (?1, ?2, ?3, ?4, ?5, ?5)
      """, id, member, relay.column, RelayStatus.rsNew.rawValue, transaction.nowMicroseconds)
    return GroupRelay(groupRelayId: number, groupMemberId: member, userChatRelay: relay, relayStatus: .rsNew)
  }

  /// Stores how far a relay is.
  public func setStatus(_ status: RelayStatus, ofMember id: Int64) throws(StoreError) {
    try transaction.execute(
      "UPDATE group_relays SET status = ?2, updated_at = ?3 WHERE member_id = ?1", id, status.rawValue,
      transaction.nowMicroseconds)
  }

  /// Stores the link of a relay for its channel.
  public func setLink(_ link: String, ofMember id: Int64) throws(StoreError) {
    try transaction.execute(
      "UPDATE group_relays SET link = ?2, updated_at = ?3 WHERE member_id = ?1", id, link, transaction.nowMicroseconds)
    try transaction.channels.setLink(link, ofRelay: id)
  }

  /// Stores what a relay offers.
  public func setCapabilities(_ capabilities: RelayCapabilities, ofMember id: Int64) throws(StoreError) {
    try transaction.execute(
      "UPDATE group_relays SET web_domain = ?2, updated_at = ?3 WHERE member_id = ?1", id, capabilities.webDomain,
      transaction.nowMicroseconds)
  }
}

extension ChatTransaction {
  /// The relays of channels as their owner knows them.
  public var groupRelays: GroupRelayStore { GroupRelayStore(transaction: self) }
}

private func readRelay(_ row: borrowing SQLiteRow) throws(SQLFailure) -> GroupRelay {
  var at = ColumnIndex()
  let id = try row.integer(&at)
  let member = try row.integer(&at)
  let relay: UserChatRelay = try row.json(&at)
  let status: RelayStatus = try row.name(&at, otherwise: .rsInactive)
  return GroupRelay(
    groupRelayId: id, groupMemberId: member, userChatRelay: relay, relayStatus: status,
    relayLink: try row.optionalText(&at), relayCap: RelayCapabilities(webDomain: try row.optionalText(&at)))
}
