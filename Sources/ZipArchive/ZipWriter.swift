/// Writes an archive. Files may have 4 GB and their sum too; larger ones need a form that few programs of the protocol's
/// time read.
public struct ZipWriter: ~Copyable {
  private struct Entry {
    var name: [UInt8]
    var method: UInt16
    var checksum: UInt32
    var compressedSize: UInt32
    var size: UInt32
    var offset: UInt32
  }

  private let file: File
  private var end: UInt64 = 0
  private var entries: [Entry] = []

  /// Begins an archive; a file of this name is replaced.
  public init(path: String) throws(ZipError) { file = try File(writing: path) }

  /// Adds a file.
  /// - Parameters:
  ///   - name: its name in the archive, with `/` between folders.
  ///   - path: where its content is.
  ///   - compresses: whether to compress it.
  public mutating func add(_ name: String, file path: String, compresses: Bool) throws(ZipError) {
    let source = try File(reading: path)
    let name = Array(name.utf8)
    guard name.count <= UInt16.max, entries.count < Int(UInt16.max) else {
      throw .unsupported("so many files or names")
    }
    let start = end
    var entry = Entry(
      name: name, method: compresses ? 8 : 0, checksum: 0, compressedSize: 0, size: 0, offset: try Self.small(start))
    var position = start + UInt64(30 + name.count)
    let (size, checksum) = try copy(source, to: &position, compresses)
    entry.size = try Self.small(size)
    entry.checksum = checksum
    entry.compressedSize = try Self.small(position - start - UInt64(30 + name.count))
    try file.write(header(entry)[...], at: start)
    end = position
    entries.append(entry)
  }

  private func copy(
    _ source: borrowing File, to position: inout UInt64, _ compresses: Bool
  ) throws(ZipError) -> (size: UInt64, checksum: UInt32) {
    var checksum = Checksum()
    var size: UInt64 = 0
    var end = position
    var compression = try Compression(deflating: true)
    while true {
      let part = try source.read(1 << 16, at: size)
      checksum.add(part[...])
      size += UInt64(part.count)
      if compresses {
        _ = try compression.process(part, isLast: part.isEmpty) { (bytes) throws(ZipError) in
          try file.write(bytes, at: end)
          end += UInt64(bytes.count)
        }
      } else {
        try file.write(part[...], at: end)
        end += UInt64(part.count)
      }
      if part.isEmpty { break }
    }
    position = end
    return (size, checksum.value)
  }

  private static func small(_ value: UInt64) throws(ZipError) -> UInt32 {
    guard let small = UInt32(exactly: value), small < .max else { throw .unsupported("more than 4 GB") }
    return small
  }

  private func header(_ entry: Entry) -> [UInt8] {
    var bytes = LittleEndian()
    bytes.append(ZipFormat.localHeader)
    bytes.append(common: entry.method, entry.checksum, entry.compressedSize, entry.size, entry.name.count)
    bytes.bytes += entry.name
    return bytes.bytes
  }

  /// Writes the list of files, and ends the archive.
  public consuming func finish() throws(ZipError) {
    var list = LittleEndian()
    for entry in entries {
      list.append(ZipFormat.listEntry)
      list.append(ZipFormat.version)
      list.append(common: entry.method, entry.checksum, entry.compressedSize, entry.size, entry.name.count)
      list.append(UInt16(0))  // comment
      list.append(UInt16(0))  // disk
      list.append(UInt16(0))  // internal attributes
      list.append(UInt32(0o100600) << 16)  // a file of its owner
      list.append(entry.offset)
      list.bytes += entry.name
    }
    let size = try Self.small(UInt64(list.bytes.count))
    list.append(ZipFormat.end)
    list.append(UInt32(0))  // disks
    list.append(UInt16(truncatingIfNeeded: entries.count))
    list.append(UInt16(truncatingIfNeeded: entries.count))
    list.append(size)
    list.append(try Self.small(end))
    list.append(UInt16(0))  // comment
    try file.write(list.bytes[...], at: end)
    try file.synchronize()
  }
}

enum ZipFormat {
  static let localHeader: UInt32 = 0x0403_4b50
  static let listEntry: UInt32 = 0x0201_4b50
  static let end: UInt32 = 0x0605_4b50
  /// 2.0, and written on a Unix for the rights of files.
  static let version: UInt16 = 3 << 8 | 20
}

/// Bytes with the least significant one of a number first.
struct LittleEndian {
  var bytes: [UInt8] = []

  mutating func append(_ value: some FixedWidthInteger & UnsignedInteger) {
    for index in 0..<(value.bitWidth / 8) { bytes.append(UInt8(truncatingIfNeeded: value >> (index * 8))) }
  }

  /// What the header of a file and its entry in the list have in common. Times are not told: the first day of the format.
  mutating func append(
    common method: UInt16, _ checksum: UInt32, _ compressedSize: UInt32, _ size: UInt32, _ nameSize: Int
  ) {
    append(UInt16(20))  // version needed
    append(UInt16(1 << 11))  // names are UTF-8
    append(method)
    append(UInt16(0))
    append(UInt16(0x21))
    append(checksum)
    append(compressedSize)
    append(size)
    append(UInt16(truncatingIfNeeded: nameSize))
    append(UInt16(0))  // further fields
  }
}
