/// The numbers of the format (APPNOTE 6.3.10, sections 4.3 and 4.5.3).
enum ZipFormat {
  static let localHeader: UInt32 = 0x0403_4b50
  static let listEntry: UInt32 = 0x0201_4b50
  static let end: UInt32 = 0x0605_4b50
  /// The end of an archive whose numbers do not fit into the usual one, and what says where it is.
  static let largeEnd: UInt32 = 0x0606_4b50
  static let largeEndLocator: UInt32 = 0x0706_4b50
  /// The further field with numbers that do not fit into a header. Those in the header are all ones then.
  static let largeNumbers: UInt16 = 1

  static let endSize = 22
  static let largeEndSize = 56
  static let largeEndLocatorSize = 20
  static let listEntrySize = 46
  static let localHeaderSize = 30

  /// 2.0 suffices to read, or 4.5 where numbers are large.
  static func versionNeeded(isLarge: Bool) -> UInt16 { isLarge ? 45 : 20 }
  /// Written on a Unix, for the rights of files.
  static func versionMade(isLarge: Bool) -> UInt16 { 3 << 8 | versionNeeded(isLarge: isLarge) }
}

/// Bytes with the least significant one of a number first.
struct LittleEndian {
  var bytes: [UInt8] = []

  mutating func append(_ value: some FixedWidthInteger & UnsignedInteger) {
    for index in 0..<(value.bitWidth / 8) { bytes.append(UInt8(truncatingIfNeeded: value >> (index * 8))) }
  }
}

/// Numbers in bytes, counted from a place; nil outside.
struct Fields {
  private let bytes: [UInt8]
  private let start: Int
  private let end: Int

  init(_ bytes: [UInt8], at start: Int) { self.init(bytes, from: start, to: bytes.count) }

  private init(_ bytes: [UInt8], from start: Int, to end: Int) {
    self.bytes = bytes
    self.start = start
    self.end = end
  }

  private func slice(_ offset: Int, _ count: Int) -> ArraySlice<UInt8>? {
    guard start >= 0, start <= end, offset + count <= end - start else { return nil }
    return bytes[(start + offset)..<(start + offset + count)]
  }

  func uint16(_ offset: Int) -> UInt16? {
    slice(offset, 2)?.reversed().reduce(0) { $0 << 8 | UInt16($1) }
  }

  func uint32(_ offset: Int) -> UInt32? {
    slice(offset, 4)?.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  func uint64(_ offset: Int) -> UInt64? {
    slice(offset, 8)?.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  func text(_ offset: Int, _ count: Int) -> String? {
    slice(offset, count).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// The content of a further field among those in `count` bytes from `offset` on.
  func furtherField(_ wanted: UInt16, at offset: Int, count: Int) -> Fields? {
    guard slice(offset, count) != nil else { return nil }
    var position = offset
    while let kind = uint16(position), let size = uint16(position + 2), position + 4 + Int(size) <= offset + count {
      let content = start + position + 4
      if kind == wanted { return Fields(bytes, from: content, to: content + Int(size)) }
      position += 4 + Int(size)
    }
    return nil
  }
}
