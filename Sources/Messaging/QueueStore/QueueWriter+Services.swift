import SMPServerCore
import SQLiteKit

extension QueueWriter {
  mutating func register(_ service: ServiceRecord) throws(SQLiteError) -> StoreOutcome {
    let known = try database.first(QueueSQL.serviceByHash, service.certificateHash) { (row) throws(SQLiteError) in
      (id: try row.bytes(0), role: try row.integer(1), usedDay: try row.integer(2))
    }
    if let known {
      guard known.role == Int64(service.role.letter) else { return .refused }
      if known.usedDay < service.createdDay {
        try database.execute(QueueSQL.useService, service.certificateHash, service.createdDay)
      }
      return .service(id: known.id)
    }
    let role = Int64(service.role.letter)
    let outcome = try unlessDuplicate { () throws(SQLiteError) in
      try database.execute(
        QueueSQL.insertService, service.id, role, service.certificateHash, service.createdDay)
      return .service(id: service.id)
    }
    if outcome != .duplicate { counts.countService(role: role, 1) }
    return outcome
  }

  mutating func removeServices(
    before day: Int64, after cursor: [UInt8], limit: Int, except kept: Set<[UInt8]>
  ) throws(SQLiteError) -> StoreOutcome {
    let services = try database.all(QueueSQL.nextServices, cursor, Int64(limit)) { (row) throws(SQLiteError) in
      (id: try row.bytes(0), usedDay: try row.integer(1), role: try row.integer(2))
    }
    var removed = 0
    for service in services where service.usedDay < day && !kept.contains(service.id) {
      let hasQueues = try database.first(QueueSQL.serviceHasQueues, service.id) { (row) throws(SQLiteError) in
        try row.bool(0)
      }
      guard hasQueues == false, try database.execute(QueueSQL.deleteService, service.id) == 1 else { continue }
      removed += 1
      counts.countService(role: service.role, -1)
    }
    return .servicesRemoved(removed, next: services.count == limit ? services.last?.id : nil)
  }
}
