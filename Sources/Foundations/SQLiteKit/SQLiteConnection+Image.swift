import CSQLite

extension SQLiteConnection {
  /// The whole database as it is after the last commit, as the bytes of its file. For simulations that go back to it.
  public func image() throws(SQLiteError) -> [UInt8] {
    var size: Int64 = 0
    guard let bytes = sqlite3_serialize(database, "main", &size, 0) else {
      // One that nothing was stored in has no pages.
      if size <= 0 { return [] }
      throw SQLiteError(.other, "the database cannot be copied")
    }
    defer { sqlite3_free(bytes) }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(size)))
  }

  /// A database in memory that begins with an ``image()`` of another.
  public convenience init(image: [UInt8]) throws(SQLiteError) {
    try self.init(path: ":memory:")
    guard !image.isEmpty else { return }
    guard let bytes = sqlite3_malloc64(UInt64(image.count)) else { throw SQLiteError(.other, "out of memory") }
    image.withUnsafeBytes { bytes.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(bytes), byteCount: $0.count) }
    // The connection owns the memory now, also where this fails.
    try check(
      sqlite3_deserialize(
        database, "main", bytes.assumingMemoryBound(to: UInt8.self), Int64(image.count), Int64(image.count),
        UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE)))
  }
}
