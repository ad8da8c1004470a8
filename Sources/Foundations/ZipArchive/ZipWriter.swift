/// Writes an archive. Files, their sum and their number are as large as the file system allows: where a number needs
/// it, and only there, the form for large archives (ZIP64) is used, which programs older than it cannot read.
public struct ZipWriter: ~Copyable {
  private struct Entry {
    var name: [UInt8]
    var method: UInt16
    var checksum: UInt32 = 0
    var compressedSize: UInt64 = 0
    var size: UInt64 = 0
    var offset: UInt64
    /// Whether the header has room for large sizes.
    var isLarge: Bool

    var headerSize: UInt64 { UInt64(ZipFormat.localHeaderSize + name.count + (isLarge ? 20 : 0)) }
  }

  private let file: File
  private let largeSize: UInt64
  private var end: UInt64
  private var entries: [Entry] = []

  /// Begins an archive; a file of this name is replaced.
  public init(path: String) throws(ZipError) {
    // Compressing may make a file larger, by less than a thousandth.
    try self.init(path: path, start: 0, largeSize: 4_000_000_000)
  }

  /// For tests: what comes before `start` is left empty, and files of `largeSize` bytes or more have large sizes.
  init(path: String, start: UInt64, largeSize: UInt64) throws(ZipError) {
    file = try File(writing: path)
    end = start
    self.largeSize = largeSize
  }

  /// Adds a file.
  /// - Parameters:
  ///   - name: its name in the archive, with `/` between folders.
  ///   - path: where its content is.
  ///   - compresses: whether to compress it.
  public mutating func add(_ name: String, file path: String, compresses: Bool) throws(ZipError) {
    let source = try File(reading: path)
    let name = Array(name.utf8)
    guard name.count <= UInt16.max else { throw .unsupported("a name of \(name.count) bytes") }
    var entry = Entry(
      name: name, method: compresses ? 8 : 0, offset: end, isLarge: try source.size() >= largeSize)
    let start = end + entry.headerSize
    var position = start
    (entry.size, entry.checksum) = try copy(source, to: &position, compresses)
    entry.compressedSize = position - start
    guard entry.isLarge || max(entry.size, entry.compressedSize) < UInt32.max else {
      throw .file(path: path, reason: "it grew while it was read")
    }
    try file.write(header(entry)[...], at: entry.offset)
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

  private func header(_ entry: Entry) -> [UInt8] {
    var header = LittleEndian()
    header.append(ZipFormat.localHeader)
    let large = entry.isLarge ? Self.largeNumbers([entry.size, entry.compressedSize]) : []
    Self.appendCommon(entry, isLarge: entry.isLarge, furtherSize: large.count, to: &header)
    return header.bytes + entry.name + large
  }

  /// The fields that the header of a file shares with its entry in the list. Times are not stored: the first day of the
  /// format.
  private static func appendCommon(
    _ entry: Entry, isLarge: Bool, furtherSize: Int, to header: inout LittleEndian
  ) {
    header.append(ZipFormat.versionNeeded(isLarge: isLarge))
    header.append(UInt16(1 << 11))  // names are UTF-8
    header.append(entry.method)
    header.append(UInt16(0))
    header.append(UInt16(0x21))
    header.append(entry.checksum)
    header.append(entry.isLarge ? .max : UInt32(clamping: entry.compressedSize))
    header.append(entry.isLarge ? .max : UInt32(clamping: entry.size))
    header.append(UInt16(clamping: entry.name.count))
    header.append(UInt16(clamping: furtherSize))
  }

  private static func largeNumbers(_ numbers: [UInt64]) -> [UInt8] {
    if numbers.isEmpty { return [] }
    var field = LittleEndian()
    field.append(ZipFormat.largeNumbers)
    field.append(UInt16(clamping: numbers.count * 8))
    for number in numbers { field.append(number) }
    return field.bytes
  }

  /// Writes the list of files, and ends the archive.
  public consuming func finish() throws(ZipError) {
    var position = end
    for entry in entries {
      let bytes = listEntry(entry)
      try file.write(bytes[...], at: position)
      position += UInt64(bytes.count)
    }
    try file.write(endOfArchive(listSize: position - end)[...], at: position)
    try file.synchronize()
  }

  private func listEntry(_ entry: Entry) -> [UInt8] {
    var list = LittleEndian()
    let hasLargeOffset = entry.offset >= UInt32.max
    let large = Self.largeNumbers(
      (entry.isLarge ? [entry.size, entry.compressedSize] : []) + (hasLargeOffset ? [entry.offset] : []))
    let isLarge = !large.isEmpty
    list.append(ZipFormat.listEntry)
    list.append(ZipFormat.versionMade(isLarge: isLarge))
    Self.appendCommon(entry, isLarge: isLarge, furtherSize: large.count, to: &list)
    list.append(UInt16(0))  // comment
    list.append(UInt16(0))  // disk
    list.append(UInt16(0))  // internal attributes
    list.append(UInt32(0o100600) << 16)  // a file of its owner
    list.append(UInt32(clamping: entry.offset))
    return list.bytes + entry.name + large
  }

  private func endOfArchive(listSize: UInt64) -> [UInt8] {
    var bytes = LittleEndian()
    let count = UInt64(entries.count)
    if count >= UInt16.max || listSize >= UInt32.max || end >= UInt32.max {
      bytes.append(ZipFormat.largeEnd)
      bytes.append(UInt64(ZipFormat.largeEndSize - 12))
      bytes.append(ZipFormat.versionMade(isLarge: true))
      bytes.append(ZipFormat.versionNeeded(isLarge: true))
      bytes.append(UInt32(0))  // disk
      bytes.append(UInt32(0))  // disk of the list
      bytes.append(count)
      bytes.append(count)
      bytes.append(listSize)
      bytes.append(end)
      bytes.append(ZipFormat.largeEndLocator)
      bytes.append(UInt32(0))  // disk
      bytes.append(end + listSize)
      bytes.append(UInt32(1))  // disks
    }
    bytes.append(ZipFormat.end)
    bytes.append(UInt32(0))  // disks
    bytes.append(UInt16(clamping: count))
    bytes.append(UInt16(clamping: count))
    bytes.append(UInt32(clamping: listSize))
    bytes.append(UInt32(clamping: end))
    bytes.append(UInt16(0))  // comment
    return bytes.bytes
  }
}
