import SQLiteKit

/// The file that messages are written to first: what one commit adds and removes, in one piece with one sync. Most
/// messages are removed again before they would have to go into the database.
///
/// The file begins with a mark, the number of a generation and a random number, 8 bytes each. Pieces follow: 8 bytes
/// for the size of the content, 8 for its checksum, and ``JournalRecord``s. The first piece comes at once, the others in
/// blocks of their own, so that nothing durable is written again and the disk can take them as they are; those of
/// earlier versions came at once as well. What follows the last piece with a right checksum counts for nothing. When
/// the database has everything, the next generation begins, over the old one; its random number goes into the
/// checksums, so that nothing of what was there before counts, whatever a sender wrote. A generation that the database
/// has counts for nothing.
///
/// Numbers are little-endian. While it is open the file is locked, so that no second program uses the same store.
final class MessageJournal {
  /// The length of the file from which on the database should take over what it has not.
  static let usualLimit = 16 << 20

  private static let mark = UInt64(littleEndian: 0x0a31_6a73_6d78_7073)
  private static let fileHeaderSize = 24
  private static let headerSize = 16

  private let file: OpenFile
  private let syncs: Bool
  private let limit: Int
  private(set) var generation: UInt64
  private var salt = UInt64.random(in: 0 ... .max)
  /// Whether this generation is noted at the beginning of the file.
  private var isBegun = false
  /// Where the next piece goes.
  private var end: Int
  /// Where the last piece began, to take it back.
  private var lastStart: Int
  /// The blocks of the next piece: with room for its header, and for that of the file where it is the first.
  private var piece = PieceBuffer()

  /// Opens or creates the file, and gives every record of it that counts, in order, to `replay`.
  ///
  /// `applied` is the last generation that the database has.
  init(
    path: String, applied: UInt64, syncs: Bool = true, limit: Int = usualLimit,
    replay: (JournalRecord) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    file = try OpenFile(path)
    self.syncs = syncs
    self.limit = limit
    generation = applied &+ 1
    end = 0
    lastStart = 0
    let bytes = try file.contents()
    defer {
      forgetRecords()
      file.writeDirectly()
    }
    guard let salt = Self.word(bytes, at: 16), Self.word(bytes, at: 0) == Self.mark,
      Self.word(bytes, at: 8) == generation
    else { return }
    let newSalt = self.salt
    self.salt = salt
    try replayPieces(bytes, replay)
    isBegun = end > 0
    if !isBegun { self.salt = newSalt }
  }

  /// Whether the database should take over.
  var isLong: Bool { end > limit }

  /// Whether there are records that were not written.
  var hasRecords: Bool { piece.count > contentStart }

  /// Adds a record to the next piece.
  func add(_ record: JournalRecord) { record.append(to: &piece) }

  /// Writes the records that were added, and syncs.
  func commit() throws(SQLiteError) {
    guard hasRecords else { return }
    piece.set(UInt64(piece.count - contentStart), at: contentStart - Self.headerSize)
    piece.set(checksum(of: piece.bytes(from: contentStart)), at: contentStart - 8)
    try file.write(piece, at: end)
    try sync()
    isBegun = true
    lastStart = end
    end += PieceBuffer.roundedUp(piece.count)
    forgetRecords()
  }

  /// Forgets the records that were added and not written.
  func forgetRecords() {
    piece.removeAll()
    if !isBegun { appendFileHeader() }
    for _ in 0..<Self.headerSize { piece.append(UInt8(0)) }
  }

  /// Takes the last piece back, as the database did not commit what belongs to it. Where the disk fails at that too, it
  /// may come back after a crash: whoever was told that it failed was told too much, nobody too little.
  func takeBack() {
    guard lastStart < end else { return }
    end = lastStart
    if end == 0 { isBegun = false }
    forgetRecords()
    try? file.write(piece, at: end)
    try? sync()
  }

  /// Goes over to the next generation, because the database has this one. Forgets records that were added.
  func beginNextGeneration() {
    generation &+= 1
    salt = UInt64.random(in: 0 ... .max)
    isBegun = false
    end = 0
    lastStart = 0
    forgetRecords()
  }

  /// Leaves an empty file, because the database has everything and nothing follows.
  func finish() { file.empty() }

  // MARK: The file

  /// Where the records of the next piece begin in it.
  private var contentStart: Int { (isBegun ? 0 : Self.fileHeaderSize) + Self.headerSize }

  private func appendFileHeader() {
    piece.append(Self.mark)
    piece.append(generation)
    piece.append(salt)
  }

  private func replayPieces(
    _ bytes: [UInt8], _ replay: (JournalRecord) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    var next = content(of: bytes, at: Self.fileHeaderSize)
    while let content = next {
      var reader = JournalReader(bytes.span.bytes.extracting(content))
      while let record = try reader.next() { try replay(record) }
      lastStart = end
      end = PieceBuffer.roundedUp(content.upperBound)
      next = self.content(of: bytes, at: content.upperBound) ?? self.content(of: bytes, at: end)
    }
  }

  /// Where the content of the piece at a position is, if there is one with a right checksum.
  private func content(of bytes: [UInt8], at position: Int) -> Range<Int>? {
    let start = position + Self.headerSize
    guard let size = Self.word(bytes, at: position), let expected = Self.word(bytes, at: position + 8), size > 0,
      size <= bytes.count - start
    else { return nil }
    let range = start..<start + Int(size)
    return checksum(of: bytes.span.bytes.extracting(range)) == expected ? range : nil
  }

  private func sync() throws(SQLiteError) { if syncs { try file.sync() } }

  /// Finds pieces that were not written to their end, and those of other generations; no protection against somebody
  /// who writes into the file.
  private func checksum(of content: RawSpan) -> UInt64 {
    var (left, right) = (salt, UInt64(content.byteCount))
    content.withUnsafeBytes { content in
      let words = content.count / 16
      for index in 0..<words {
        left = Self.mixed(left, content.loadUnaligned(fromByteOffset: 16 * index, as: UInt64.self))
        right = Self.mixed(right, content.loadUnaligned(fromByteOffset: 16 * index + 8, as: UInt64.self))
      }
      for byte in content[(16 * words)...] { left = Self.mixed(left, UInt64(byte)) }
    }
    return Self.mixed(left, right)
  }

  @inline(__always)
  private static func mixed(_ state: UInt64, _ word: UInt64) -> UInt64 {
    let product = (state ^ UInt64(littleEndian: word)) &* 0xbf58_476d_1ce4_e5b9
    return product << 31 | product >> 33
  }

  private static func word(_ bytes: [UInt8], at offset: Int) -> UInt64? {
    guard offset + 8 <= bytes.count else { return nil }
    return bytes[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
