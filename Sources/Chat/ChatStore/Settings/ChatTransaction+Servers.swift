import ChatAPI
import SimplexJSON

extension ChatTransaction {
  /// The user's servers of a protocol, preset ones included.
  public func servers(_ serverProtocol: ServerProtocol, of user: User) throws(StoreError) -> [UserServer] {
    try all(
      """
      SELECT server_id, address, preset, tested, enabled FROM servers WHERE user_id = ? AND protocol = ? \
      ORDER BY server_id
      """, user.userId, serverProtocol.rawValue
    ) { (row) throws(SQLFailure) in
      var at = ColumnIndex()
      return UserServer(
        serverId: try row.integer(&at), server: try row.text(&at), preset: try row.bool(&at),
        tested: try row.optionalBool(&at), enabled: try row.bool(&at), deleted: false)
    }
  }

  /// The user's relays of public groups.
  public func chatRelays(of user: User) throws(StoreError) -> [UserChatRelay] {
    try all(
      """
      SELECT relay_id, address, profile, domains, preset, tested, enabled FROM chat_relays \
      WHERE user_id = ? AND deleted = 0 ORDER BY relay_id
      """, user.userId
    ) { (row) throws(SQLFailure) in
      var at = ColumnIndex()
      return UserChatRelay(
        chatRelayId: try row.integer(&at), address: try row.text(&at),
        relayProfile: try row.json(&at, otherwise: RelayProfile(displayName: "", fullName: "")),
        domains: try row.json(&at, otherwise: []), preset: try row.bool(&at), tested: try row.optionalBool(&at),
        enabled: try row.bool(&at), deleted: false)
    }
  }

  /// Stores the servers of one operator, or the user's own: new ones are added, those marked as deleted go (unless they
  /// are preset), the others are changed. Returns those that are left, with their numbers.
  /// - Throws: `uniqueID` where the user has a server twice.
  public func setServers(_ servers: UserOperatorServers, of user: User) throws(StoreError) -> UserOperatorServers {
    var stored = servers
    if let serverOperator = servers.operator { try update(serverOperator) }
    stored.smpServers = try set(servers.smpServers, .smp, of: user)
    stored.xftpServers = try set(servers.xftpServers, .xftp, of: user)
    stored.chatRelays = try set(servers.chatRelays, of: user)
    return stored
  }

  private func set(
    _ servers: [UserServer], _ serverProtocol: ServerProtocol, of user: User
  ) throws(StoreError) -> [UserServer] {
    var stored: [UserServer] = []
    for server in servers {
      if server.deleted {
        guard let id = server.serverId else { continue }
        try execute("DELETE FROM servers WHERE user_id = ? AND server_id = ? AND preset = 0", user.userId, id)
      } else if let id = server.serverId {
        try insert(
          """
          UPDATE servers SET address = ?3, preset = ?4, tested = ?5, enabled = ?6, updated_at = ?7 \
          WHERE user_id = ?1 AND server_id = ?2
          """, user.userId, id, server.server, server.preset, server.tested, server.enabled, nowMicroseconds)
        stored.append(server)
      } else {
        var added = server
        added.serverId = try insert(
          """
          INSERT INTO servers (user_id, protocol, address, preset, tested, enabled, created_at, updated_at) \
          VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)
          """, user.userId, serverProtocol.rawValue, server.server, server.preset, server.tested, server.enabled,
          nowMicroseconds)
        stored.append(added)
      }
    }
    return stored
  }

  private func set(_ relays: [UserChatRelay], of user: User) throws(StoreError) -> [UserChatRelay] {
    var stored: [UserChatRelay] = []
    for relay in relays {
      if relay.deleted {
        guard let id = relay.chatRelayId else { continue }
        // Groups may refer to it.
        try execute(
          "UPDATE chat_relays SET deleted = 1, updated_at = ?3 WHERE user_id = ?1 AND relay_id = ?2 AND preset = 0",
          user.userId, id, nowMicroseconds)
      } else if let id = relay.chatRelayId {
        try insert(
          """
          UPDATE chat_relays SET address = ?3, profile = ?4, domains = ?5, preset = ?6, tested = ?7, enabled = ?8, \
          updated_at = ?9 WHERE user_id = ?1 AND relay_id = ?2
          """, user.userId, id, relay.address, relay.relayProfile.column, relay.domains.column, relay.preset,
          relay.tested, relay.enabled, nowMicroseconds)
        stored.append(relay)
      } else {
        var added = relay
        added.chatRelayId = try add(relay, of: user)
        stored.append(added)
      }
    }
    return stored
  }

  /// Adds a relay; one that was deleted and has the same address is used again, so that groups keep it.
  private func add(_ relay: UserChatRelay, of user: User) throws(StoreError) -> Int64 {
    let old = try integer(
      "SELECT relay_id FROM chat_relays WHERE user_id = ? AND address = ? AND deleted = 1", user.userId, relay.address)
    if let old {
      try execute(
        """
        UPDATE chat_relays SET profile = ?2, domains = ?3, preset = ?4, tested = ?5, enabled = ?6, deleted = 0, \
        updated_at = ?7 WHERE relay_id = ?1
        """, old, relay.relayProfile.column, relay.domains.column, relay.preset, relay.tested, relay.enabled,
        nowMicroseconds)
      return old
    }
    return try insert(
      """
      INSERT INTO chat_relays (user_id, address, profile, domains, preset, tested, enabled, created_at, updated_at) \
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)
      """, user.userId, relay.address, relay.relayProfile.column, relay.domains.column, relay.preset, relay.tested,
      relay.enabled, nowMicroseconds)
  }
}
