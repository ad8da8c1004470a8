/// The unallocated gap of a b-tree page (of a table or an index): the bytes between the pointers to its cells and the
/// first cell.
///
/// SQLite does not use the gap, and leaves in it what it moved to another page when it distributed cells anew, whatever
/// `secure_delete` is; the copy stays when the row is deleted on that other page. So the gap is overwritten where a
/// page is written to the file. (The write-ahead log, whose checksums cover whole pages, has it until it is emptied.)
enum PageGap {
  /// The number of pages from which on a database is left as it is. Overflow pages and pages of the free list begin
  /// with a page number, whose first byte can be the type of a b-tree page only in so large a file.
  static let pageLimit: Int64 = 1 << 24

  /// The place in the first page of the number that is not 0 where the database has pointer maps (`auto_vacuum`).
  /// These pages cannot be told from others by their content alone.
  static let pointerMapField = 52..<56

  /// The gap of a page that is to be overwritten; nil where it has nothing but zeros, where the page is no b-tree page,
  /// and where anything in its header or pointers is not as SQLite writes it.
  /// - Parameters:
  ///   - page: the whole page, with what may be reserved at its end.
  ///   - isFirst: whether it is the first page, which begins with the header of the file.
  static func content(of page: UnsafeRawBufferPointer, isFirst: Bool) -> Range<Int>? {
    let header = isFirst ? 100 : 0
    guard page.count >= 512, page.count <= 65_536 else { return nil }
    func number(at offset: Int) -> Int { Int(page[offset]) << 8 | Int(page[offset + 1]) }
    let isInterior: Bool
    switch page[header] {
    case 2, 5: isInterior = true
    case 10, 13: isInterior = false
    default: return nil
    }
    let (freeBlock, count, start) = (number(at: header + 1), number(at: header + 3), number(at: header + 5))
    let first = start == 0 ? 65_536 : start
    let pointers = header + (isInterior ? 12 : 8)
    let end = pointers + 2 * count
    // Cells, free blocks and their order need four bytes; a page has at most 60 bytes in fragments.
    let cells = first...max(first, page.count - 4)
    guard end <= first, first <= page.count, page[header + 7] <= 60, freeBlock == 0 || cells.contains(freeBlock)
    else { return nil }
    // Only a tree without rows has a page without cells, which then is a leaf or the first page, and has nothing at its
    // end but what may be reserved.
    if count == 0 { guard page.count - first <= 255, freeBlock == 0, !isInterior || isFirst else { return nil } }
    for pointer in stride(from: pointers, to: end, by: 2) where !cells.contains(number(at: pointer)) { return nil }
    return isZero(page, end..<first) ? nil : end..<first
  }

  /// Whether a page with the form of a b-tree page may be a pointer map, in a database that may have them: by its first
  /// byte, and by its place. There is a map before all pages that it has entries of 5 bytes for; one that would be on
  /// the page of SQLite's locks is on the next.
  static func mayBePointerMap(_ page: UnsafeRawBufferPointer, number: Int64) -> Bool {
    guard let first = page.first, first <= 5 else { return false }
    let lockPage = (1 << 30) / Int64(page.count) + 1
    return (number - 2) % Int64(page.count / 5 + 1) == 0 || number == lockPage + 1
  }

  /// Overwrites the gap with zeros.
  static func erase(_ gap: Range<Int>, in page: UnsafeMutableRawBufferPointer) {
    _ = UnsafeMutableRawBufferPointer(rebasing: page[gap]).initializeMemory(as: UInt8.self, repeating: 0)
  }

  private static func isZero(_ page: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
    var offset = range.lowerBound
    while offset + 8 <= range.upperBound {
      if page.loadUnaligned(fromByteOffset: offset, as: UInt64.self) != 0 { return false }
      offset += 8
    }
    return page[offset..<range.upperBound].allSatisfy { $0 == 0 }
  }
}
