import CSQLite

extension SQLiteConnection {
  /// Asks `allows` before every commit that would change something; where it says no, the transaction is rolled back
  /// and the commit fails. For simulations of crashes; nil to stop asking.
  public func gateCommits(_ allows: (() -> Bool)?) {
    commitGate = allows
    guard allows != nil else {
      sqlite3_commit_hook(database, nil, nil)
      return
    }
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_commit_hook(
      database,
      { context in
        guard let context else { return 0 }
        let connection = Unmanaged<SQLiteConnection>.fromOpaque(context).takeUnretainedValue()
        return connection.commitGate?() == false ? 1 : 0
      }, context)
  }
}
