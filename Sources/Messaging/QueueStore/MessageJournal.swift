import SQLiteKit

/// The file to which messages are written first: the changes of one commit, in one piece with one flush. Most messages
/// are removed again before they would have to be written to the database.
///
/// The file begins with a magic number, the number of a generation and a random number, 8 bytes each. Pieces follow: 8
/// bytes for the size of the content, 8 for its checksum, and ``JournalRecord``s. The first piece follows directly, the
/// others begin at block boundaries, so that nothing durable is overwritten and the disk can take whole blocks; in
/// earlier versions they followed directly as well. Data after the last piece with a valid checksum is ignored. When
/// the database contains everything, the next generation overwrites the old one; its random number is part of the
/// checksums, so that no old piece is valid, whatever a sender wrote, except with probability 2^-32 per forged piece.
/// Pieces that the database contains are ignored: it stores a generation and the number of its pieces.
///
/// A power failure may tear the header of the file between its numbers (as SQLite, this assumes that sectors are
/// written from one end to the other, not that they are written at once). The next generation with the random number of
/// the one before would make the old pieces valid as pieces that the database does not contain, so that they would be
/// applied twice. Therefore the upper half of the random number is computed from the lower half and the generation,
/// which shows whose it is. Earlier versions wrote 8 random bytes; they are accepted.
///
/// Numbers are little-endian. The file is locked while it is open, so that no second program uses the same store.
final class MessageJournal {
  /// The length of the file at which its content should be moved to the database.
  static let usualLimit = 16 << 20

  private static let mark = UInt64(littleEndian: 0x0a31_6a73_6d78_7073)
  private static let fileHeaderSize = 24
  private static let headerSize = 16

  private let file: any JournalStorage
  private let syncs: Bool
  private let limit: Int
  private(set) var generation: UInt64
  private var salt: UInt64
  /// Whether the header of the file names this generation.
  private var isBegun = false
  /// The offset of the next piece.
  private var end: Int
  /// The offset of the last piece, to roll it back.
  private var lastStart: Int
  /// The number of pieces of this generation.
  private(set) var pieceCount: Int64 = 0
  /// Whether the file may contain a piece after the last one, of a commit that failed.
  private var hasFailedPiece = false
  /// The blocks of the next piece: with room for its header, and for that of the file if it is the first.
  private var piece = PieceBuffer()

  /// Opens or creates the file at `path`.
  convenience init(
    path: String, applied: UInt64, appliedPieces: Int64 = .max, syncs: Bool = true, limit: Int = usualLimit,
    replay: (JournalRecord) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    try self.init(
      JournalFile(path), applied: applied, appliedPieces: appliedPieces, syncs: syncs, limit: limit, replay: replay)
  }

  /// Reads the file, and passes every valid record that the database does not contain, in order, to `replay`.
  ///
  /// `applied` is the last generation that the database contains, up to its piece number `appliedPieces`.
  init(
    _ file: any JournalStorage, applied: UInt64, appliedPieces: Int64 = .max, syncs: Bool = true,
    limit: Int = usualLimit, replay: (JournalRecord) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    self.file = file
    self.syncs = syncs
    self.limit = limit
    generation = applied &+ 1
    salt = Self.newSalt(of: applied &+ 1)
    end = 0
    lastStart = 0
    let bytes = try file.contents()
    defer {
      forgetRecords()
      file.writeDirectly()
    }
    guard let salt = Self.word(bytes, at: 16), Self.word(bytes, at: 0) == Self.mark,
      let found = Self.word(bytes, at: 8), found == generation || found == applied,
      !Self.isSalt(salt, of: found &- 1)
    else { return }
    let newSalt = self.salt
    self.salt = salt
    let contained = found == applied ? appliedPieces : 0
    let last = try replayPieces(bytes, after: contained, replay)
    // A generation that is contained as a whole is not continued.
    if pieceCount > contained { generation = found } else { (end, lastStart, pieceCount) = (0, 0, 0) }
    isBegun = end > 0
    if isBegun { try writeAgain(bytes, last) }
    if !isBegun { self.salt = newSalt }
    // The disk may have one that the system's memory does not show.
    hasFailedPiece = !isBegun
  }

  /// The reason why the file is not the journal of a database, as a sentence for the operator; nil where it may be.
  ///
  /// - Parameters:
  ///   - bytes: the first bytes of the file, at least its header if it has one.
  ///   - applied: the last generation that the database contains. A journal has this or the next one. Earlier ones may
  ///     come back where a power failure lost that the file was emptied; the database contains them.
  static func mismatch(_ bytes: [UInt8], applied: UInt64) -> String? {
    // What a crash left of a new file has zeros or nothing.
    guard let found = word(bytes, at: 0), found != 0 else { return nil }
    guard found == mark else { return "the file of the journal has another content" }
    guard let generation = word(bytes, at: 8), generation > applied, generation != applied &+ 1 else { return nil }
    return "the journal belongs to a later state of the database, which was replaced by an older copy: its messages are"
      + " not delivered"
  }

  /// Whether the content should be moved to the database.
  var isLong: Bool { end > limit }

  /// The length of the file as far as it is used.
  var length: Int { end }

  /// Whether there are records that were not written.
  var hasRecords: Bool { piece.count > contentStart }

  /// Adds a record to the next piece.
  func add(_ record: JournalRecord) { record.append(to: &piece) }

  /// Writes the added records, and flushes. Without records, removes the piece of a commit that failed, if there may be
  /// one: what is answered next is answered without it.
  func commit() throws(SQLiteError) {
    guard hasRecords else { return try removeFailedPiece() }
    piece.set(UInt64(piece.count - contentStart), at: contentStart - Self.headerSize)
    piece.set(checksum(of: piece.bytes(from: contentStart)), at: contentStart - 8)
    hasFailedPiece = true
    try file.write(piece, at: end)
    try sync()
    hasFailedPiece = false
    isBegun = true
    lastStart = end
    end += PieceBuffer.roundedUp(piece.count)
    pieceCount += 1
    forgetRecords()
  }

  /// Discards the added records.
  func forgetRecords() {
    piece.removeAll()
    if !isBegun { appendFileHeader() }
    for _ in 0..<Self.headerSize { piece.append(UInt8(0)) }
  }

  /// Rolls back the last piece, because the database did not commit the operations that belong to it. If the disk fails
  /// here as well, the piece may reappear after a crash, until the next commit writes over it or removes it.
  func takeBack() {
    guard lastStart < end else { return }
    end = lastStart
    pieceCount -= 1
    if end == 0 { isBegun = false }
    hasFailedPiece = true
    try? removeFailedPiece()
  }

  /// Writes an empty header over a piece that a commit may have left though it failed. Discards added records.
  private func removeFailedPiece() throws(SQLiteError) {
    guard hasFailedPiece else { return }
    forgetRecords()
    try file.write(piece, at: end)
    try sync()
    hasFailedPiece = false
  }

  /// Starts the next generation, because the database contains this one. Discards added records.
  func beginNextGeneration() {
    generation &+= 1
    salt = Self.newSalt(of: generation)
    isBegun = false
    end = 0
    lastStart = 0
    pieceCount = 0
    forgetRecords()
  }

  /// Leaves an empty file, because the database contains everything and nothing follows. That it is empty is not
  /// flushed, so that a piece of a commit that failed is removed before; where that fails, the file stays.
  func finish() {
    guard (try? removeFailedPiece()) != nil else { return }
    file.empty()
  }

  // MARK: The file

  /// The offset of the records in the next piece.
  private var contentStart: Int { (isBegun ? 0 : Self.fileHeaderSize) + Self.headerSize }

  private func appendFileHeader() {
    piece.append(Self.mark)
    piece.append(generation)
    piece.append(salt)
  }

  /// Replays the pieces after the first `contained` ones; returns the range of the content of the last.
  private func replayPieces(
    _ bytes: [UInt8], after contained: Int64, _ replay: (JournalRecord) throws(SQLiteError) -> Void
  ) throws(SQLiteError) -> Range<Int> {
    var last = 0..<0
    var next = content(of: bytes, at: Self.fileHeaderSize)
    while let content = next {
      last = content
      pieceCount += 1
      if pieceCount > contained {
        var reader = JournalReader(bytes.span.bytes.extracting(content))
        while let record = try reader.next() { try replay(record) }
      }
      lastStart = end
      end = PieceBuffer.roundedUp(content.upperBound)
      next = self.content(of: bytes, at: content.upperBound) ?? self.content(of: bytes, at: end)
    }
    return last
  }

  /// Writes the last piece once more. If its flush failed in the last run, it may be in the system's memory alone,
  /// where it looks durable; a further flush would not write it, and all that follows would be lost with it. An empty
  /// header follows: the disk may have a piece there that was removed or overwritten in the system's memory alone.
  private func writeAgain(_ bytes: [UInt8], _ content: Range<Int>) throws(SQLiteError) {
    // The header of the file is in the same block as that of the first piece.
    let start = (content.lowerBound - Self.headerSize) / PieceBuffer.blockSize
    piece.removeAll()
    piece.append(Array(bytes[start * PieceBuffer.blockSize..<content.upperBound]))
    if bytes.count > end {
      piece.append([UInt8](repeating: 0, count: end - content.upperBound + Self.headerSize))
    }
    try file.write(piece, at: start * PieceBuffer.blockSize)
    try sync()
  }

  /// The range of the content of the piece at an offset; nil unless its checksum is valid.
  private func content(of bytes: [UInt8], at position: Int) -> Range<Int>? {
    let start = position + Self.headerSize
    guard let size = Self.word(bytes, at: position), let expected = Self.word(bytes, at: position + 8), size > 0,
      size <= bytes.count - start
    else { return nil }
    let range = start..<start + Int(size)
    return checksum(of: bytes.span.bytes.extracting(range)) == expected ? range : nil
  }

  private func sync() throws(SQLiteError) { if syncs { try file.sync() } }

  /// A random number for a generation that shows whose it is.
  private static func newSalt(of generation: UInt64) -> UInt64 {
    let lower = UInt64.random(in: 0...0xffff_ffff)
    return tag(lower, generation) << 32 | lower
  }

  /// Whether a random number was made for this generation, unless it is of an earlier version.
  private static func isSalt(_ salt: UInt64, of generation: UInt64) -> Bool {
    salt >> 32 == tag(salt & 0xffff_ffff, generation)
  }

  private static func tag(_ lower: UInt64, _ generation: UInt64) -> UInt64 {
    mixed(mixed(lower, generation), lower) & 0xffff_ffff
  }

  /// Detects pieces that were not written completely, and those of other generations; no protection against deliberate
  /// changes of the file.
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
