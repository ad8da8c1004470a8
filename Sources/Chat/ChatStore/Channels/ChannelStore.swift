import ChatAPI
import SQLiteKit
import SimplexCrypto

/// The keys of the user in a channel.
public struct ChannelKeys: Sendable {
  /// The identifier of the channel (32 bytes), to which signatures are bound.
  public var publicGroupID: [UInt8]
  /// The root key of the channel.
  public var root: Root
  /// The key that signs as a member.
  public var member: Ed25519.PrivateKey

  /// The root key of a channel as its owner or as others have it.
  public enum Root: Sendable {
    /// The private key, which authorizes owners and signs the data of the link.
    case owned(Ed25519.PrivateKey)
    /// The public key, from the link.
    case known(Ed25519.PublicKey)

    /// The public key.
    public var publicKey: Ed25519.PublicKey {
      switch self {
      case .owned(let key): key.publicKey
      case .known(let key): key
      }
    }
  }

  /// Keys in the channel with an identifier.
  public init(publicGroupID: [UInt8], root: Root, member: Ed25519.PrivateKey) {
    self.publicGroupID = publicGroupID
    self.root = root
    self.member = member
  }
}

/// What is stored of channels besides what all groups have.
public struct ChannelStore {
  let transaction: ChatTransaction

  /// The keys of the user in a group; nil for a group without relays.
  public func keys(ofGroup id: Int64) throws(StoreError) -> ChannelKeys? {
    try transaction.first(
      """
      SELECT public_identifier, root_public_key, root_private_key, member_private_key FROM channel_keys \
      WHERE group_id = ?
      """, id
    ) { (row) throws(SQLFailure) in
      let owned: Ed25519.PrivateKey? = try row.optionalPrivateKey(2)
      let root: ChannelKeys.Root = if let owned { .owned(owned) } else { .known(try row.publicKey(1)) }
      return ChannelKeys(publicGroupID: try row.bytes(0), root: root, member: try row.privateKey(3))
    }
  }

  /// Stores the keys of the user in a group. Keys that are stored stay: they are made once for a membership.
  public func add(_ keys: ChannelKeys, toGroup id: Int64) throws(StoreError) {
    var owned: SecretBytes?
    if case .owned(let key) = keys.root { owned = key.der }
    try transaction.execute(
      """
      INSERT OR IGNORE INTO channel_keys (group_id, public_identifier, root_public_key, root_private_key, \
      member_private_key) VALUES (?, ?, ?, ?, ?)
      """, id, keys.publicGroupID, keys.root.publicKey.der, owned, keys.member.der)
  }

  /// Stores that the messages of a group go through relays.
  public func setUsesRelays(group id: Int64) throws(StoreError) {
    try transaction.execute("UPDATE groups SET use_relays = 1 WHERE group_id = ?", id)
  }

  /// Stores the number of members that the link of a channel shows; nil where it shows none.
  public func setMemberCount(_ count: Int64?, ofGroup id: Int64) throws(StoreError) {
    try transaction.execute("UPDATE groups SET public_members = ?2 WHERE group_id = ?1", id, count)
  }

  /// Stores the status that the user has as a relay of a group; nil where the user is none.
  public func setOwnRelayStatus(_ status: RelayStatus?, ofGroup id: Int64) throws(StoreError) {
    try transaction.execute("UPDATE groups SET relay_status = ?2 WHERE group_id = ?1", id, status?.rawValue)
  }

  /// Stores the key that signs the messages of a member, base64url, unless another one is known: keys never change.
  /// - Returns: whether the member has this key.
  public func pin(key: String, ofMember id: Int64) throws(StoreError) -> Bool {
    try transaction.execute(
      "UPDATE members SET public_key = coalesce(public_key, ?2) WHERE member_id = ?1", id, key)
    return try transaction.text("SELECT public_key FROM members WHERE member_id = ?", id) == key
  }

  /// The relay of a channel with a link, a database id; nil where there is none, or it is not there any more.
  public func relay(withLink link: String, ofGroup id: Int64) throws(StoreError) -> Int64? {
    try transaction.integer(
      """
      SELECT member_id FROM members WHERE group_id = ? AND role = 'relay' AND relay_link = ? \
      AND status NOT IN ('removed', 'left', 'deleted')
      """, id, link)
  }

  /// The number of relays of a channel with which the user is connected.
  public func countConnectedRelays(ofGroup id: Int64) throws(StoreError) -> Int {
    let count = try transaction.integer(
      "SELECT count(*) FROM members WHERE group_id = ? AND role = 'relay' AND status = 'connected'", id)
    return Int(count ?? 0)
  }

  /// The members of a channel whose roles only owners give, without the user.
  public func members(onRosterOfGroup id: Int64, of user: User) throws(StoreError) -> [GroupMember] {
    try transaction.all(
      memberQuery + """
         WHERE m.group_id = ? AND m.role IN ('member', 'moderator', 'admin') AND m.category <> 'user' \
        AND m.status NOT IN ('removed', 'left', 'deleted') ORDER BY m.index_in_group
        """, id, row: readMember)
  }

  /// The first owner of a channel; nil where none is known.
  public func owner(ofGroup id: Int64, of user: User) throws(StoreError) -> GroupMember? {
    try transaction.first(
      memberQuery + " WHERE m.group_id = ? AND m.role = 'owner' ORDER BY m.index_in_group LIMIT 1", id, row: readMember)
  }

  /// Stores the link of a relay of a channel.
  public func setLink(_ link: String, ofRelay member: Int64) throws(StoreError) {
    try transaction.execute("UPDATE members SET relay_link = ?2 WHERE member_id = ?1", member, link)
  }
}

extension ChatTransaction {
  /// What is stored of channels besides what all groups have.
  public var channels: ChannelStore { ChannelStore(transaction: self) }
}
