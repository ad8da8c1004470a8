import FileAccess

/// Raises the limit of open files as far as the system allows, and returns it; nil where it is unknown.
/// - Throws: Where it is too low for a relay.
public func raiseFileLimit() throws(CommandFailure) -> Int? {
  let limit = OpenFileLimit.raise()
  if let shortage = OpenFileLimit.shortage { throw CommandFailure(description: shortage) }
  return limit
}

/// The number of clients that fit into a limit of open files: some are for the store and for other relays. Connections
/// beyond it are closed at once; without a free file they could not even be accepted, and would be retried without end.
public func connectionLimit(files: Int) -> Int { max(16, files - reservedFiles(files)) }

/// The number of other relays that fit into what clients leave of a limit of open files; half as many may be being
/// connected to, and a quarter of it remains.
public func relayLimit(files: Int) -> Int { reservedFiles(files) / 2 }

private func reservedFiles(_ files: Int) -> Int { max(64, files / 8) }
