import AgentCore
import SQLiteKit
import SimplexCrypto

extension SQLiteRow {
  fileprivate func task() throws(SQLiteError) -> AgentTask {
    var task = AgentTask(
      id: try integer(0), lane: Lane(rawValue: try integer(1)), connection: try integer(2), kind: try value(3),
      message: try integer(4), payload: try bytes(5), body: try optionalInteger(6), createdAt: try integer(7))
    task.attempts = try integer(8)
    task.notBefore = try integer(9)
    task.tag = try optionalBytes(10).map { CorrelationTag($0) }
    task.isCall = try bool(11)
    task.messageKey = try optionalInteger(12)
    return task
  }
}

extension AgentDatabase {
  /// The task of a row; nil, and noted, where it cannot be read.
  private func task(_ row: borrowing SQLiteRow) throws(SQLiteError) -> AgentTask? {
    do throws(SQLiteError) { return try row.task() } catch {
      note(.task(try row.integer(0)), error.description)
      return nil
    }
  }

  /// The tasks of a statement that can be read.
  private func tasks<each Parameter: SQLiteBindable>(
    _ sql: String, _ parameters: repeat each Parameter
  ) throws(SQLiteError) -> [AgentTask] {
    try database.all(sql, repeat each parameters) { (row) throws(SQLiteError) in try task(row) }.compactMap { $0 }
  }

  /// The highest number of a task; 0 without tasks.
  public func lastTaskID() throws(SQLiteError) -> Int64 {
    try database.first("SELECT coalesce(max(id), 0) FROM tasks") { (row) throws(SQLiteError) in try row.integer(0) }
      ?? 0
  }

  /// Stores a task.
  public func insert(_ task: AgentTask) throws(SQLiteError) {
    try database.execute(
      AgentSQL.insertTask, task.id, task.lane.rawValue, task.connection, task.kind.rawValue, task.message,
      task.payload, task.body, task.createdAt, task.tag?.bytes, task.isCall, task.messageKey)
  }

  /// The task with a number.
  public func task(_ id: Int64) throws(SQLiteError) -> AgentTask? {
    try database.first(AgentSQL.task, id) { (row) throws(SQLiteError) in try task(row) } ?? nil
  }

  /// The next task of a lane.
  public func firstTask(in lane: Lane) throws(SQLiteError) -> AgentTask? {
    try database.first(AgentSQL.firstTask, lane.rawValue) { (row) throws(SQLiteError) in try task(row) } ?? nil
  }

  /// All tasks of a lane.
  public func tasks(in lane: Lane) throws(SQLiteError) -> [AgentTask] {
    try tasks(AgentSQL.tasksOfLane, lane.rawValue)
  }

  /// All tasks of a connection.
  public func tasks(of connection: Int64) throws(SQLiteError) -> [AgentTask] {
    try tasks(AgentSQL.tasksOfConnection, connection)
  }

  /// Tasks that calls waited for when the program ended.
  public func abandonedCalls() throws(SQLiteError) -> [AgentTask] {
    try tasks(AgentSQL.abandonedCalls)
  }

  /// The lanes that have tasks.
  public func openLanes() throws(SQLiteError) -> [Lane] {
    try database.all(AgentSQL.openLanes) { (row) throws(SQLiteError) in Lane(rawValue: try row.integer(0)) }
  }

  /// Removes a task; false if it was removed already.
  public func removeTask(_ task: AgentTask) throws(SQLiteError) -> Bool {
    let isRemoved = try database.execute(AgentSQL.deleteTask, task.id) == 1
    if let body = task.body { try removeUnusedBody(body) }
    return isRemoved
  }

  /// Notes an attempt and when the next one is. False if the task was removed.
  public func delayTask(_ task: Int64, attempts: Int64, until time: Int64) throws(SQLiteError) -> Bool {
    try database.execute(AgentSQL.delayTask, task, attempts, time) == 1
  }

  /// Whether a task waits for the application, because the call that it belongs to has failed.
  public func isParked(_ task: Int64) throws(SQLiteError) -> Bool {
    try database.first("SELECT 1 FROM tasks WHERE id = ? AND not_before = \(Int64.max)", task) { (_) in true } ?? false
  }

  /// No call waits for a task any more.
  public func clearCall(ofTask task: Int64) throws(SQLiteError) {
    try database.execute("UPDATE tasks SET is_call = 0, not_before = 0 WHERE id = ?", task)
  }

  /// Another call or tag is answered by a task.
  public func setCaller(ofTask task: Int64, isCall: Bool, tag: [UInt8]?) throws(SQLiteError) {
    try database.execute("UPDATE tasks SET is_call = ?2, tag = ?3 WHERE id = ?1", task, isCall, tag)
  }

  /// Replaces the payload of a task.
  public func setPayload(ofTask task: Int64, _ payload: [UInt8]) throws(SQLiteError) {
    try database.execute("UPDATE tasks SET payload = ?2 WHERE id = ?1", task, payload)
  }

  /// Moves a task to another lane, where it keeps its place by its number.
  public func moveTask(_ task: Int64, to lane: Lane) throws(SQLiteError) {
    try database.execute("UPDATE tasks SET lane = ?2, not_before = 0 WHERE id = ?1", task, lane.rawValue)
  }

  /// Whether the message of a task waits in another lane too.
  public func hasCopy(of task: AgentTask) throws(SQLiteError) -> Bool {
    try database.first(AgentSQL.hasCopy, task.connection, task.message, task.id) { (_) in true } ?? false
  }

  /// Whether a connection has messages to send.
  public func hasMessagesToSend(_ connection: Int64) throws(SQLiteError) -> Bool {
    try database.first(AgentSQL.hasMessagesToSend, connection) { (_) in true } ?? false
  }

  /// The messages of a lane, of the application, that were accepted before a time.
  public func expiredMessages(in lane: Lane, before time: Int64) throws(SQLiteError) -> [AgentTask] {
    try tasks(AgentSQL.expiredMessages, lane.rawValue, time)
  }

  /// Connections whose outbox has messages that were accepted before a time.
  public func connectionsWaiting(since time: Int64) throws(SQLiteError) -> [Int64] {
    try database.all(AgentSQL.connectionsWaiting, time) { (row) throws(SQLiteError) in try row.integer(0) }
  }
}
