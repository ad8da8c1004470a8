import ChatAPI
import SQLiteKit

private let addressQuery = """
  SELECT address_id, full_link, short_link, link_data_set, link_large_data_set, business, auto_accept, \
  accept_incognito, auto_reply FROM addresses
  """

private func readAddress(_ row: borrowing SQLiteRow) throws(SQLFailure) -> UserContactLink {
  var at = ColumnIndex()
  let id = try row.integer(&at)
  let link = CreatedConnLink(connFullLink: try row.text(&at), connShortLink: try row.optionalText(&at))
  let dataSet = try row.bool(&at)
  let largeDataSet = try row.bool(&at)
  let business = try row.bool(&at)
  let accepts = try row.bool(&at)
  let incognito = try row.bool(&at)
  return UserContactLink(
    userContactLinkId: id, connLinkContact: link, shortLinkDataSet: dataSet, shortLinkLargeDataSet: largeDataSet,
    addressSettings: AddressSettings(
      businessAddress: business, autoAccept: accepts ? AutoAccept(acceptIncognito: incognito) : nil,
      autoReply: try row.optionalJSON(&at)))
}

extension ChatTransaction {
  /// Makes the user's address and its connection.
  /// - Throws: `duplicateContactLink` where the user has one.
  public func createAddress(
    link: CreatedConnLink, agentConnId: String, toSubscribe: Bool = false, of user: User
  ) throws(StoreError) -> UserContactLink {
    let id = try insert(
      """
      INSERT INTO addresses (user_id, full_link, short_link, link_data_set, link_large_data_set, created_at, \
      updated_at) VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?5)
      """, user.userId, link.connFullLink, link.connShortLink, link.connShortLink != nil, nowMicroseconds,
      duplicate: .duplicateContactLink)
    var connection = NewConnection(agentConnId: agentConnId, entity: .address(id))
    connection.toSubscribe = toSubscribe
    _ = try createConnection(connection, of: user)
    return try address(of: user)
  }

  /// The user's address.
  public func address(of user: User) throws(StoreError) -> UserContactLink {
    let found = try first(addressQuery + " WHERE user_id = ? AND group_id IS NULL", user.userId, row: readAddress)
    guard let found else { throw .userContactLinkNotFound }
    return found
  }

  /// The address or group link with this number; the group's number, if it is one.
  public func address(
    _ id: Int64, of user: User
  ) throws(StoreError) -> (link: UserContactLink, groupId: Int64?) {
    let found = try first(addressQuery + " WHERE user_id = ? AND address_id = ?", user.userId, id, row: readAddress)
    guard let found else { throw .userContactLinkNotFound }
    return (found, try integer("SELECT group_id FROM addresses WHERE address_id = ?", id))
  }

  /// The user's address by one of the spellings of its full link.
  public func address(links: [String], of user: User) throws(StoreError) -> UserContactLink? {
    try first(
      addressQuery + " WHERE user_id = ?1 AND full_link IN (SELECT value FROM json_each(?2)) AND group_id IS NULL",
      user.userId,
      links.column, row: readAddress)
  }

  /// The user's address by its short link.
  public func address(shortLink: String, of user: User) throws(StoreError) -> UserContactLink? {
    try first(
      addressQuery + " WHERE user_id = ? AND short_link = ? AND group_id IS NULL", user.userId, shortLink,
      row: readAddress)
  }

  /// Stores the short link of an address, with data that shows the profile; it can be accepted by the user's own
  /// profile only.
  public func setShortLink(_ link: String, ofAddress id: Int64) throws(StoreError) {
    try execute(
      """
      UPDATE addresses SET short_link = ?2, link_data_set = 1, link_large_data_set = 1, accept_incognito = 0, \
      updated_at = ?3 WHERE address_id = ?1
      """, id, link, nowMicroseconds)
  }

  /// Stores what happens with requests.
  public func setSettings(_ settings: AddressSettings, ofAddress id: Int64) throws(StoreError) {
    try execute(
      """
      UPDATE addresses SET business = ?2, auto_accept = ?3, accept_incognito = ?4, auto_reply = ?5, updated_at = ?6 \
      WHERE address_id = ?1
      """, id, settings.businessAddress, settings.autoAccept != nil, settings.autoAccept?.acceptIncognito ?? false,
      settings.autoReply?.column, nowMicroseconds)
  }

  /// Deletes the user's address, its connection, and its place in the profile. Requests stay.
  public func deleteAddress(of user: User) throws(StoreError) -> User {
    try execute(
      """
      DELETE FROM connections WHERE address_id = (SELECT address_id FROM addresses WHERE user_id = ? \
      AND group_id IS NULL)
      """, user.userId)
    try execute("DELETE FROM addresses WHERE user_id = ? AND group_id IS NULL", user.userId)
    return try setContactLink(nil, inProfileOf: user)
  }
}
