import ChatAPI
import SQLiteKit
import SimplexJSON

extension ChatImport {
  /// Servers, operators, and the settings that the app saved.
  mutating func importSettings() throws(ProfileImportError) {
    for row in try source.rows("protocol_servers", key: "smp_server_id") {
      try writeUnlessDamaged(.damagedDetails) { (chat) throws(ProfileImportError) in
        try chat.importServer(row)
        chat.report.take(.servers)
      }
    }
    for row in try source.rows("server_operators", key: "server_operator_id") {
      try writeUnlessDamaged(.damagedDetails) { (chat) throws(ProfileImportError) in try chat.importOperator(row) }
    }
    for row in try source.rows("usage_conditions", key: "usage_conditions_id") {
      try writeUnlessDamaged(.damagedDetails) { (chat) throws(ProfileImportError) in
        try chat.insert(
          into: "usage_conditions",
          [
            "conditions_id": .integer(try row.integer("usage_conditions_id")),
            "document": .text(try row.text("conditions_commit")),
            "notified_at": .optional(try row.optionalTime("notified_at")),
            "created_at": .integer(try row.time("created_at")),
          ])
      }
    }
    let accepted = try source.rows(
      "operator_usage_conditions", where: "server_operator_id IS NOT NULL", key: "operator_usage_conditions_id")
    for row in accepted {
      try writeUnlessDamaged(.damagedDetails) { (chat) throws(ProfileImportError) in try chat.importAcceptance(row) }
    }
    guard let row = try source.rows("app_settings", key: "app_settings").first else { return }
    try writeUnlessDamaged(.damagedDetails) { (chat) throws(ProfileImportError) in
      guard let settings = try row.json("app_settings", as: AppSettings.self) else { return }
      try chat.insert(into: "settings", ["name": .text("app"), "value": .text(settings)])
    }
  }

  private func importAcceptance(_ row: SourceRow) throws(ProfileImportError) {
    try writing { (target) throws(SQLFailure) in
      // A document that was accepted twice counts once.
      try target.execute(
        "DELETE FROM accepted_conditions WHERE operator_id = ? AND document = ?",
        values: [row["server_operator_id"], row["conditions_commit"]])
    }
    try insert(
      into: "accepted_conditions",
      [
        "operator_id": .integer(try row.integer("server_operator_id")),
        "document": .text(try row.text("conditions_commit")),
        "accepted_at": .optional(try row.optionalTime("accepted_at")),
        "automatically": .bool(try row.bool("auto_accepted")),
      ])
  }

  private func importServer(_ row: SourceRow) throws(ProfileImportError) {
    let scheme = try row.optionalText("protocol") ?? "smp"
    let password = try row.optionalText("basic_auth").map { ":" + $0 } ?? ""
    let port = try row.text("port")
    try insert(
      into: "servers",
      [
        "server_id": .integer(try row.integer("smp_server_id")), "user_id": .integer(try row.integer("user_id")),
        "protocol": .text(scheme),
        "address": .text(
          "\(scheme)://\(try row.text("key_hash"))\(password)@\(try row.text("host"))"
            + (port.isEmpty ? "" : ":\(port)")),
        "preset": .bool(try row.bool("preset")), "tested": .optional(try row.optionalBool("tested")),
        "enabled": .bool(try row.bool("enabled")), "created_at": .integer(try row.time("created_at")),
        "updated_at": .integer(try row.time("updated_at")),
      ])
  }

  private func importOperator(_ row: SourceRow) throws(ProfileImportError) {
    let tag = try row.optionalText("server_operator_tag").flatMap(OperatorTag.init)
    // Versions before 7.0 do not have this role, and 7.0 gives it to the operators that it knows.
    let names = try row.optionalBool("smp_role_names") ?? (tag != nil)
    let smp = ServerRoles(
      storage: try row.bool("smp_role_storage"), proxy: try row.bool("smp_role_proxy"), names: names)
    let xftp = ServerRoles(
      storage: try row.bool("xftp_role_storage"), proxy: try row.bool("xftp_role_proxy"), names: true)
    let domains = try row.optionalText("server_domains") ?? ""
    try insert(
      into: "operators",
      [
        "operator_id": .integer(try row.integer("server_operator_id")), "tag": .optional(tag?.rawValue),
        "trade_name": .text(try row.text("trade_name")), "legal_name": .optional(try row.optionalText("legal_name")),
        "domains": .text(domains.split(separator: ",").map(String.init).jsonText()),
        "enabled": .bool(try row.bool("enabled")), "smp_roles": .text(smp.jsonText()),
        "xftp_roles": .text(xftp.jsonText()),
      ])
  }
}
