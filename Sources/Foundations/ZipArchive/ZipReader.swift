/// Reads an archive: files that are stored or compressed by Deflate, without encryption, in one part of any size.
///
/// The list at the end is what counts. Everything it says is checked against the file before it is used.
public struct ZipReader: ~Copyable {
  /// A file of the archive.
  public struct Entry: Hashable, Sendable {
    /// Its name, with `/` between folders; a folder's ends with one.
    public var name: String
    /// Its size in bytes.
    public var size: UInt64
    fileprivate var method: UInt16
    fileprivate var checksum: UInt32
    fileprivate var compressedSize: UInt64
    /// Where its header is; inside of the archive.
    fileprivate var offset: UInt64
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

  private struct List {
    var count: UInt64
    var size: UInt64
    var offset: UInt64
  }

  private static func list(_ file: borrowing File, _ size: UInt64) throws(ZipError) -> [Entry] {
    let place = try placeOfList(file, size)
    // Checked before memory is reserved.
    guard place.offset <= size, place.size <= size - place.offset,
      place.count <= place.size / UInt64(ZipFormat.listEntrySize), let listSize = Int(exactly: place.size)
    else { throw .damaged("the place of the list of files") }
    let list = try file.read(listSize, at: place.offset)
    var entries: [Entry] = []
    var position = 0
    for _ in 0..<place.count {
      let (entry, length) = try entry(Fields(list, at: position))
      guard entry.offset <= size else { throw .damaged("the place of \(entry.name)") }
      entries.append(entry)
      position += length
    }
    return entries
  }

  private static func placeOfList(_ file: borrowing File, _ size: UInt64) throws(ZipError) -> List {
    let longest = ZipFormat.largeEndLocatorSize + ZipFormat.endSize + Int(UInt16.max)
    let tailSize = Int(min(size, UInt64(longest)))
    let tail = try file.read(tailSize, at: size - UInt64(tailSize))
    var start = tail.count - ZipFormat.endSize
    while start >= 0, Fields(tail, at: start).uint32(0) != ZipFormat.end { start -= 1 }
    let end = Fields(tail, at: start)
    guard start >= 0, let count = end.uint16(10), let listSize = end.uint32(12), let offset = end.uint32(16) else {
      throw .damaged("no list of files")
    }
    let locator = Fields(tail, at: start - ZipFormat.largeEndLocatorSize)
    guard count == .max || listSize == .max || offset == .max, locator.uint32(0) == ZipFormat.largeEndLocator else {
      return List(count: UInt64(count), size: UInt64(listSize), offset: UInt64(offset))
    }
    guard let place = locator.uint64(8), place <= size else { throw .damaged("the place of the archive's end") }
    let large = Fields(try file.read(ZipFormat.largeEndSize, at: place), at: 0)
    guard large.uint32(0) == ZipFormat.largeEnd, let count = large.uint64(32), let listSize = large.uint64(40),
      let offset = large.uint64(48)
    else { throw .damaged("the archive's end") }
    return List(count: count, size: listSize, offset: offset)
  }

  /// An entry of the list, and its length.
  private static func entry(_ fields: Fields) throws(ZipError) -> (Entry, length: Int) {
    guard fields.uint32(0) == ZipFormat.listEntry, let flags = fields.uint16(8), let method = fields.uint16(10),
      let checksum = fields.uint32(16), let compressedSize = fields.uint32(20), let size = fields.uint32(24),
      let nameSize = fields.uint16(28), let furtherSize = fields.uint16(30), let commentSize = fields.uint16(32),
      let offset = fields.uint32(42), let name = fields.text(ZipFormat.listEntrySize, Int(nameSize))
    else { throw .damaged("the list of files") }
    guard flags & 1 == 0 else { throw .unsupported("encryption") }
    let further = ZipFormat.listEntrySize + Int(nameSize)
    let large = fields.furtherField(ZipFormat.largeNumbers, at: further, count: Int(furtherSize))
    var position = 0
    // The field has those numbers that are all ones in the entry, in this order.
    func number(_ small: UInt32) throws(ZipError) -> UInt64 {
      guard small == .max, let large else { return UInt64(small) }
      guard let number = large.uint64(position) else { throw .damaged("the numbers of \(name)") }
      position += 8
      return number
    }
    let entry = Entry(
      name: name, size: try number(size), method: method, checksum: checksum,
      compressedSize: try number(compressedSize), offset: try number(offset))
    return (entry, further + Int(furtherSize) + Int(commentSize))
  }

  /// Writes the content of a file of the archive to `path`.
  public func extract(_ entry: Entry, to path: String) throws(ZipError) {
    let header = try file.read(ZipFormat.localHeaderSize, at: entry.offset)
    let fields = Fields(header, at: 0)
    guard fields.uint32(0) == ZipFormat.localHeader, let nameSize = fields.uint16(26), let extraSize = fields.uint16(28)
    else { throw .damaged("the header of \(entry.name)") }
    let start = entry.offset + UInt64(ZipFormat.localHeaderSize) + UInt64(nameSize) + UInt64(extraSize)
    let output = try File(writing: path)
    var checksum = Checksum()
    var written: UInt64 = 0
    func write(_ bytes: ArraySlice<UInt8>, _ output: borrowing File) throws(ZipError) {
      // No more than was announced, whatever comes out of the compressed data.
      guard written + UInt64(bytes.count) <= entry.size else { throw .damaged("the size of \(entry.name)") }
      checksum.add(bytes)
      try output.write(bytes, at: written)
      written += UInt64(bytes.count)
    }
    var position: UInt64 = 0
    switch entry.method {
    case 0:
      while position < entry.compressedSize {
        let part = try chunk(from: start, at: position, of: entry)
        try write(part[...], output)
        position += UInt64(part.count)
      }
    case 8:
      var compression = try Compression(deflating: false)
      var isFinished = false
      while position < entry.compressedSize, !isFinished {
        let part = try chunk(from: start, at: position, of: entry)
        isFinished = try compression.process(part, isLast: false) { (bytes) throws(ZipError) in
          try write(bytes, output)
        }
        position += UInt64(part.count)
      }
    default: throw .unsupported("the compression of \(entry.name)")
    }
    guard written == entry.size, checksum.value == entry.checksum else {
      throw .damaged("the content of \(entry.name)")
    }
  }

  private func chunk(from start: UInt64, at position: UInt64, of entry: Entry) throws(ZipError) -> [UInt8] {
    let count = min(1 << 16, entry.compressedSize - position)
    let part = try file.read(Int(count), at: start + position)
    guard !part.isEmpty else { throw .damaged("the content of \(entry.name)") }
    return part
  }
}
