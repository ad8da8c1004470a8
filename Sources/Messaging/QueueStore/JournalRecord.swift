import SMPServerCore
import SQLiteKit

/// One change of the messages of a queue, as stored in ``MessageJournal``. Positions are those of the database.
enum JournalRecord: Equatable {
  /// A message at the end.
  case added(QueueNumber, position: Int64, QueuedMessage)
  /// The first message was removed; it was at this position.
  case removed(QueueNumber, position: Int64)

  private enum Tag {
    static let removed: UInt8 = 0
    static let quotaMark: UInt8 = 1
    static let message: UInt8 = 2
    static let notifyingMessage: UInt8 = 3
  }

  func append(to piece: inout PieceBuffer) {
    switch self {
    case .removed(let queue, let position):
      piece.append(Tag.removed)
      piece.append(UInt64(bitPattern: queue.value))
      piece.append(UInt64(bitPattern: position))
    case .added(let queue, let position, let message):
      switch message.content {
      case .quotaExceeded: piece.append(Tag.quotaMark)
      case .message(let notify, _): piece.append(notify ? Tag.notifyingMessage : Tag.message)
      }
      piece.append(UInt64(bitPattern: queue.value))
      piece.append(UInt64(bitPattern: position))
      piece.append(UInt64(bitPattern: message.timestamp))
      Self.append(message.id, to: &piece)
      if case .message(_, let body) = message.content { Self.append(body, to: &piece) }
    }
  }

  private static func append(_ data: [UInt8], to piece: inout PieceBuffer) {
    piece.append(UInt64(data.count))
    piece.append(data)
  }

  fileprivate init(_ reader: inout JournalReader) throws(SQLiteError) {
    let tag = try reader.byte()
    let (queue, position) = (QueueNumber(try reader.number()), try reader.number())
    switch tag {
    case Tag.removed: self = .removed(queue, position: position)
    case Tag.quotaMark, Tag.message, Tag.notifyingMessage:
      let (timestamp, id) = (try reader.number(), try reader.data())
      let content: QueuedMessage.Content =
        tag == Tag.quotaMark ? .quotaExceeded : .message(notify: tag == Tag.notifyingMessage, body: try reader.data())
      self = .added(queue, position: position, QueuedMessage(id: id, timestamp: timestamp, content: content))
    default: throw JournalReader.damaged
    }
  }
}

/// Reads the records of one piece of a journal.
struct JournalReader: ~Escapable {
  static var damaged: SQLiteError { SQLiteError(.damaged, "the journal of messages") }

  private let bytes: RawSpan
  private var position = 0

  @_lifetime(copy bytes)
  init(_ bytes: RawSpan) { self.bytes = bytes }

  /// The next record; nil at the end.
  mutating func next() throws(SQLiteError) -> JournalRecord? {
    position < bytes.byteCount ? try JournalRecord(&self) : nil
  }

  fileprivate mutating func byte() throws(SQLiteError) -> UInt8 {
    guard position < bytes.byteCount else { throw Self.damaged }
    defer { position += 1 }
    return bytes.unsafeLoad(fromByteOffset: position, as: UInt8.self)
  }

  fileprivate mutating func number() throws(SQLiteError) -> Int64 {
    guard bytes.byteCount - position >= 8 else { throw Self.damaged }
    defer { position += 8 }
    return Int64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: position, as: Int64.self))
  }

  fileprivate mutating func data() throws(SQLiteError) -> [UInt8] {
    let count = try number()
    guard count >= 0, count <= bytes.byteCount - position else { throw Self.damaged }
    defer { position += Int(count) }
    return bytes.extracting(position..<position + Int(count)).withUnsafeBytes { [UInt8]($0) }
  }
}
