/// Reads an archive: files that are stored or compressed by Deflate, without encryption, in one part of at most 4 GB.
///
/// The list at the end is what counts. Everything it says is checked against the file before it is used.
public struct ZipReader: ~Copyable {
  /// A file of the archive.
  public struct Entry: Hashable, Sendable {
    /// Its name, with `/` between folders; a folder's ends with one.
    public var name: String
    /// Its size in bytes.
    public var size: UInt32
    fileprivate var method: UInt16
    fileprivate var checksum: UInt32
    fileprivate var compressedSize: UInt32
    fileprivate var offset: UInt32
  }

  private let file: File
  private let size: UInt64
  /// The files, in the archive's order.
  public let entries: [Entry]

  /// Opens an archive.
  public init(path: String) throws(ZipError) {
    let file = try File(reading: path)
    let size = try file.size()
    let entries = try Self.list(file, size)
    self.size = size
    self.entries = entries
    self.file = file
  }

  private static let endSize = 22
  private static let listEntrySize = 46
  private static let headerSize = 30

  private static func list(_ file: borrowing File, _ size: UInt64) throws(ZipError) -> [Entry] {
    let tailSize = Int(min(size, UInt64(endSize + Int(UInt16.max))))
    let tail = try file.read(tailSize, at: size - UInt64(tailSize))
    var start = tail.count - endSize
    while start >= 0, Fields(tail, at: start).uint32(0) != ZipFormat.end { start -= 1 }
    let end = Fields(tail, at: start)
    guard start >= 0, let count = end.uint16(10), let listSize = end.uint32(12), let offset = end.uint32(16) else {
      throw .damaged("no list of files")
    }
    guard count < .max, listSize < .max, offset < .max else { throw .unsupported("more than 4 GB") }
    let list = try file.read(Int(listSize), at: UInt64(offset))
    var entries: [Entry] = []
    var position = 0
    for _ in 0..<count {
      let fields = Fields(list, at: position)
      guard fields.uint32(0) == ZipFormat.listEntry, let flags = fields.uint16(8), let method = fields.uint16(10),
        let checksum = fields.uint32(16), let compressedSize = fields.uint32(20), let size = fields.uint32(24),
        let nameSize = fields.uint16(28), let extraSize = fields.uint16(30), let commentSize = fields.uint16(32),
        let headerOffset = fields.uint32(42), let name = fields.text(listEntrySize, Int(nameSize))
      else { throw .damaged("the list of files") }
      guard flags & 1 == 0 else { throw .unsupported("encryption") }
      entries.append(
        Entry(
          name: name, size: size, method: method, checksum: checksum, compressedSize: compressedSize,
          offset: headerOffset))
      position += listEntrySize + Int(nameSize) + Int(extraSize) + Int(commentSize)
    }
    return entries
  }

  /// Writes the content of a file of the archive to `path`.
  public func extract(_ entry: Entry, to path: String) throws(ZipError) {
    let header = try file.read(Self.headerSize, at: UInt64(entry.offset))
    let fields = Fields(header, at: 0)
    guard fields.uint32(0) == ZipFormat.localHeader, let nameSize = fields.uint16(26), let extraSize = fields.uint16(28)
    else { throw .damaged("the header of \(entry.name)") }
    let start = UInt64(entry.offset) + UInt64(Self.headerSize) + UInt64(nameSize) + UInt64(extraSize)
    let output = try File(writing: path)
    var checksum = Checksum()
    var written: UInt64 = 0
    func write(_ bytes: ArraySlice<UInt8>, _ output: borrowing File) throws(ZipError) {
      // No more than was announced, whatever comes out of the compressed data.
      guard written + UInt64(bytes.count) <= UInt64(entry.size) else { throw .damaged("the size of \(entry.name)") }
      checksum.add(bytes)
      try output.write(bytes, at: written)
      written += UInt64(bytes.count)
    }
    var position: UInt64 = 0
    switch entry.method {
    case 0:
      while position < UInt64(entry.compressedSize) {
        let part = try part(start, position, entry)
        try write(part[...], output)
        position += UInt64(part.count)
      }
    case 8:
      var compression = try Compression(deflating: false)
      var isFinished = false
      while position < UInt64(entry.compressedSize), !isFinished {
        let part = try part(start, position, entry)
        isFinished = try compression.process(part, isLast: false) { (bytes) throws(ZipError) in
          try write(bytes, output)
        }
        position += UInt64(part.count)
      }
    default: throw .unsupported("the compression of \(entry.name)")
    }
    guard written == UInt64(entry.size), checksum.value == entry.checksum else {
      throw .damaged("the content of \(entry.name)")
    }
  }

  private func part(_ start: UInt64, _ position: UInt64, _ entry: Entry) throws(ZipError) -> [UInt8] {
    let count = min(1 << 16, UInt64(entry.compressedSize) - position)
    let part = try file.read(Int(count), at: start + position)
    guard !part.isEmpty else { throw .damaged("the content of \(entry.name)") }
    return part
  }
}

/// Numbers in bytes, counted from a place; nil outside.
private struct Fields {
  private let bytes: [UInt8]
  private let start: Int

  init(_ bytes: [UInt8], at start: Int) {
    self.bytes = bytes
    self.start = start
  }

  private func slice(_ offset: Int, _ count: Int) -> ArraySlice<UInt8>? {
    guard start >= 0, start <= bytes.count, offset + count <= bytes.count - start else { return nil }
    return bytes[(start + offset)..<(start + offset + count)]
  }

  func uint16(_ offset: Int) -> UInt16? {
    slice(offset, 2)?.reversed().reduce(0) { $0 << 8 | UInt16($1) }
  }

  func uint32(_ offset: Int) -> UInt32? {
    slice(offset, 4)?.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  func text(_ offset: Int, _ count: Int) -> String? {
    slice(offset, count).flatMap { String(validating: $0, as: UTF8.self) }
  }
}
