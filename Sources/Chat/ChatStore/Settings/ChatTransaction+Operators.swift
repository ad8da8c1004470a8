import ChatAPI
import FoundationTypes
import SQLiteKit

private let operatorQuery = """
  SELECT operator_id, tag, trade_name, legal_name, domains, enabled, smp_roles, xftp_roles FROM operators
  """

private func readOperator(_ row: borrowing SQLiteRow) throws(SQLFailure) -> ServerOperator {
  var at = ColumnIndex()
  let id = try row.integer(&at)
  let tag: OperatorTag? = try row.optionalName(&at)
  let tradeName = try row.text(&at)
  let legalName = try row.optionalText(&at)
  let domains: [String] = try row.json(&at, otherwise: [])
  let enabled = try row.bool(&at)
  return ServerOperator(
    operatorId: id, operatorTag: tag, tradeName: tradeName, legalName: legalName, serverDomains: domains,
    conditionsAcceptance: .required(deadline: nil), enabled: enabled,
    // Roles that cannot be read are none: the user may have allowed nothing.
    smpRoles: try row.json(&at, otherwise: ServerRoles(storage: false, proxy: false)),
    xftpRoles: try row.json(&at, otherwise: ServerRoles(storage: false, proxy: false)))
}

private func readConditions(_ row: borrowing SQLiteRow) throws(SQLFailure) -> UsageConditions {
  var at = ColumnIndex()
  return UsageConditions(
    conditionsId: try row.integer(&at), conditionsCommit: try row.text(&at), notifiedAt: try row.optionalDate(&at),
    createdAt: try row.date(&at))
}

extension ChatTransaction {
  /// The operators with what the user accepted of them, the conditions in force, and what is to be done about them.
  public func serverOperators() throws(StoreError) -> ServerOperatorConditions {
    let current = try currentConditions()
    var operators: [ServerOperator] = []
    for var stored in try all(operatorQuery + " ORDER BY operator_id", row: readOperator) {
      stored.conditionsAcceptance = try acceptance(of: stored, current)
      operators.append(stored)
    }
    return ServerOperatorConditions(
      serverOperators: operators, currentConditions: current, conditionsAction: action(operators, current))
  }

  /// Stores which operators are used and for what.
  public func setOperators(_ operators: [ServerOperator]) throws(StoreError) {
    for changed in operators { try update(changed) }
  }

  func update(_ changed: ServerOperator) throws(StoreError) {
    try execute(
      "UPDATE operators SET enabled = ?2, smp_roles = ?3, xftp_roles = ?4 WHERE operator_id = ?1", changed.operatorId,
      changed.enabled, changed.smpRoles.column, changed.xftpRoles.column)
  }

  /// Brings the operators that come with the program up to date: new ones are added, known ones take the new names and
  /// domains and keep what the user chose. Returns them with their numbers, in the same order.
  public func updatePresetOperators(_ presets: [ServerOperator]) throws(StoreError) -> [ServerOperator] {
    var stored: [ServerOperator] = []
    for var preset in presets {
      let known = try first(operatorQuery + " WHERE tag = ?", preset.operatorTag?.rawValue, row: readOperator)
      if let known {
        preset.operatorId = known.operatorId
        preset.enabled = known.enabled
        preset.smpRoles = known.smpRoles
        preset.xftpRoles = known.xftpRoles
        try execute(
          "UPDATE operators SET trade_name = ?2, legal_name = ?3, domains = ?4 WHERE operator_id = ?1",
          preset.operatorId, preset.tradeName, preset.legalName, preset.serverDomains.column)
      } else {
        preset.operatorId = try insert(
          """
          INSERT INTO operators (tag, trade_name, legal_name, domains, enabled, smp_roles, xftp_roles) \
          VALUES (?, ?, ?, ?, ?, ?, ?)
          """, preset.operatorTag?.rawValue, preset.tradeName, preset.legalName, preset.serverDomains.column,
          preset.enabled, preset.smpRoles.column, preset.xftpRoles.column)
      }
      stored.append(preset)
    }
    return stored
  }

  // MARK: Conditions

  /// The newest conditions that the program knows.
  public func currentConditions() throws(StoreError) -> UsageConditions {
    let found = try first(
      """
      SELECT conditions_id, document, notified_at, created_at FROM usage_conditions ORDER BY conditions_id DESC LIMIT 1
      """, row: readConditions)
    guard let found else { throw .usageConditionsNotFound }
    return found
  }

  /// Adds conditions, named by the commit of their document, unless they are known.
  public func addConditions(id: Int64, commit: String) throws(StoreError) {
    try execute(
      "INSERT OR IGNORE INTO usage_conditions (conditions_id, document, created_at) VALUES (?, ?, ?)", id, commit,
      nowMicroseconds)
  }

  /// Stores that the user was notified of conditions.
  public func setConditionsNotified(_ id: Int64) throws(StoreError) {
    try execute("UPDATE usage_conditions SET notified_at = ?2 WHERE conditions_id = ?1", id, nowMicroseconds)
  }

  /// Stores that the user accepted conditions of operators.
  public func acceptConditions(
    _ id: Int64, ofOperators operators: [Int64], automatically: Bool = false
  ) throws(StoreError) {
    guard let document = try text("SELECT document FROM usage_conditions WHERE conditions_id = ?", id) else {
      throw .usageConditionsNotFound
    }
    for operatorId in operators {
      guard try integer("SELECT 1 FROM operators WHERE operator_id = ?", operatorId) != nil else {
        throw .operatorNotFound(serverOperatorId: operatorId)
      }
      // Accepted once is accepted; the first time stays.
      try execute(
        """
        INSERT INTO accepted_conditions (operator_id, document, accepted_at, automatically) VALUES (?, ?, ?, ?) \
        ON CONFLICT (operator_id, document) DO UPDATE SET accepted_at = excluded.accepted_at, \
        automatically = excluded.automatically WHERE accepted_at IS NULL
        """, operatorId, document, nowMicroseconds, automatically)
    }
  }

  private func acceptance(
    of stored: ServerOperator, _ current: UsageConditions
  ) throws(StoreError) -> ConditionsAcceptance {
    let latest = try text("SELECT document FROM accepted_conditions ORDER BY accepted_at DESC LIMIT 1")
    let accepted = try first(
      """
      SELECT document, accepted_at, automatically FROM accepted_conditions WHERE operator_id = ? \
      ORDER BY acceptance_id DESC LIMIT 1
      """, stored.operatorId
    ) { (row) throws(SQLFailure) in
      var at = ColumnIndex()
      return (document: try row.text(&at), time: try row.optionalDate(&at), automatically: try row.bool(&at))
    }
    guard let accepted, accepted.document == latest else { return .required(deadline: nil) }
    guard current.conditionsCommit == latest else { return .required(deadline: deadline(current)) }
    return .accepted(acceptedAt: accepted.time, autoAccepted: accepted.automatically)
  }

  /// Users who were notified early have 31 days to accept; others have to accept at once.
  private func deadline(_ conditions: UsageConditions) -> Date? {
    let day: Double = 86_400
    let told = conditions.notifiedAt ?? now
    return told < conditions.createdAt.addingTimeInterval(14 * day) ? told.addingTimeInterval(31 * day) : nil
  }

  private func action(_ operators: [ServerOperator], _ current: UsageConditions) -> UsageConditionsAction? {
    let used = operators.filter(\.enabled)
    guard !used.isEmpty else { return nil }
    let open = used.filter { !$0.hasAcceptedConditions }
    if open.isEmpty { return .accepted(operators: operators.filter(\.hasAcceptedConditions)) }
    return .review(operators: open, deadline: deadline(current), showNotice: current.notifiedAt == nil)
  }
}

extension ServerOperator {
  fileprivate var hasAcceptedConditions: Bool {
    if case .accepted = conditionsAcceptance { true } else { false }
  }
}
