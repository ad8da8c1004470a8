import Foundation
import SimplexCrypto
import SimplexTesting
import Testing

@testable import SQLiteKit

/// Rows that SQLite moved between pages before they were deleted are in no file: pages are written without what is left
/// in their gaps.
@Suite struct MovedRowsTests {
  private let folder: TemporaryFolder
  private let key: DatabaseKey

  init() throws {
    folder = try TemporaryFolder()
    key = try DatabaseKey(passphrase: SecretBytes([1]), salt: Array(1...16))
  }

  private enum Kind: CaseIterable { case clear, encrypted }

  private func path(_ kind: Kind) -> String { folder.path("\(kind).db") }

  private func open(_ kind: Kind) throws -> SQLiteConnection {
    switch kind {
    case .clear: try SQLiteConnection(path: path(kind))
    case .encrypted: try SQLiteConnection(path: path(kind), key: key)
    }
  }

  /// All pages of a database and what is in its log, in the clear.
  private func content(_ kind: Kind) throws -> Data {
    let file = try Data(contentsOf: URL(filePath: path(kind)))
    let log = (try? Data(contentsOf: URL(filePath: path(kind) + "-wal"))) ?? Data()
    #expect(log.isEmpty)
    guard kind == .encrypted else { return file }
    let cipher = try PageCipher(key: key)
    var pages = Data()
    for start in stride(from: 0, to: file.count, by: PageCipher.pageSize) {
      cipher.page.copyBytes(from: file[start..<start + PageCipher.pageSize])
      #expect(cipher.decryptPage(UInt32(start / PageCipher.pageSize + 1)))
      pages.append(contentsOf: UnsafeRawBufferPointer(cipher.page))
    }
    return pages
  }

  /// The numbers of the needles in some bytes.
  private static func needles(in content: Data) -> Set<Int64> {
    var found: Set<Int64> = []
    var rest = content[...]
    while let mark = rest.range(of: Data("needle".utf8)) {
      let digits = rest[mark.upperBound...].prefix { $0 >= 0x30 && $0 <= 0x39 }
      if let number = Int64(String(decoding: digits, as: UTF8.self)) { found.insert(number) }
      rest = rest[mark.upperBound...]
    }
    return found
  }

  private static func text(_ number: Int64, _ random: inout SeededGenerator) -> String {
    "needle\(number)."
      + String(repeating: "x", count: Int.random(in: 0...(random.next() % 9 == 0 ? 6_000 : 500), using: &random))
  }

  /// Adds, changes and deletes rows of random sizes, some transactions at random places of the tree; empties the log at
  /// times. Returns the numbers of the texts that are left.
  private func play(
    _ database: SQLiteConnection, seed: UInt64, emptied: (Set<Int64>) throws -> Void
  ) throws -> Set<Int64> {
    var random = SeededGenerator(seed: seed)
    var rows: [Int64: Int64] = [:]
    var next: Int64 = 0
    try database.useWriteAheadLog(synchronous: .off)
    try database.setPragma("cache_size", "20")
    try database.runScript("CREATE TABLE t (i INTEGER PRIMARY KEY, text TEXT); CREATE INDEX places ON t (text)")
    for round in 0..<60 {
      try database.transaction { () throws(SQLiteError) in
        for _ in 0..<60 {
          next += 1
          let place = Int64.random(in: 0..<100_000, using: &random)
          let text = Self.text(next, &random)
          try database.execute("INSERT OR REPLACE INTO t VALUES (?, ?)", place, text)
          rows[place] = next
        }
        // The fewer are left, the more pages are merged.
        let share: Double = round % 20 > 14 ? 0.6 : 0.2
        for place in rows.keys.sorted() where Double.random(in: 0..<1, using: &random) < share {
          try database.execute("DELETE FROM t WHERE i = ?", place)
          rows[place] = nil
        }
        for place in rows.keys.sorted() where random.next() % 16 == 0 {
          next += 1
          try database.execute("UPDATE t SET text = ? WHERE i = ?", Self.text(next, &random), place)
          rows[place] = next
        }
      }
      if round % 6 == 5 {
        try database.emptyLog()
        try emptied(Set(rows.values))
      }
    }
    try database.emptyLog()
    try database.checkIntegrity()
    return Set(rows.values)
  }

  @Test(arguments: propertySeeds(3)) func deletedRowsThatWereMovedAreInNoFile(seed: UInt64) throws {
    for kind in Kind.allCases {
      let database = try open(kind)
      let left = try play(database, seed: seed) { left in
        let found = Self.needles(in: try content(kind))
        #expect(found == left, "seed \(seed), \(kind): \(found.symmetricDifference(left).count) rows")
      }
      // What another connection reads from the file is whole as well.
      let reopened = try open(kind)
      try reopened.checkIntegrity()
      let texts = try reopened.rows(of: "SELECT text FROM t", limit: .max).joined(separator: " ")
      #expect(Self.needles(in: Data(texts.utf8)) == left)
    }
  }

  /// Without the file system that overwrites gaps some stay: the search finds them.
  @Test func sqliteAloneLeavesMovedRows() throws {
    let path = path(.clear)
    DatabaseFile.create(path)
    let database = try SQLiteConnection(uri: SQLiteConnection.uri(path), access: .readWrite, vfs: nil)
    var remaining: Set<Int64> = []
    _ = try play(database, seed: 1) { left in
      remaining.formUnion(Self.needles(in: try content(.clear)).subtracting(left))
    }
    #expect(!remaining.isEmpty)
  }

  /// Copies, in the clear and encrypted, are written by the same rule.
  @Test func copiesHaveNoMovedRows() throws {
    let database = try open(.clear)
    let left = try play(database, seed: 5) { _ in }
    try database.export(to: path(.encrypted), key: key)
    #expect(Self.needles(in: try content(.encrypted)) == left)
    let copy = try open(.encrypted)
    try copy.execute("DELETE FROM t WHERE i % 3 = 0")
    let rest = try copy.rows(of: "SELECT text FROM t", limit: .max).joined(separator: " ")
    #expect(Self.needles(in: try content(.encrypted)) == Self.needles(in: Data(rest.utf8)))
  }

  /// A database with pointer maps, whose pages may look like those of tables, stays as SQLite writes it.
  @Test func databasesWithPointerMapsAreLeftAlone() throws {
    for kind in Kind.allCases {
      let database = try open(kind)
      try database.setPragma("auto_vacuum", "FULL")
      _ = try play(database, seed: 2) { _ in }
      #expect(try database.integerPragma("auto_vacuum") == 1)
      try open(kind).checkIntegrity()
    }
  }
}

/// Which bytes of a page are its gap.
@Suite struct PageGapTests {
  /// A leaf with two cells, of four bytes each, at the end of a page of 512 bytes; the rest is `0xEE`.
  private static func leaf(_ change: (inout [UInt8]) -> Void = { _ in }) -> [UInt8] {
    var page = [UInt8](repeating: 0xEE, count: 512)
    page.replaceSubrange(0..<12, with: [13, 0, 0, 0, 2, 0x01, 0xF8, 0, 0x01, 0xFC, 0x01, 0xF8])
    change(&page)
    return page
  }

  private static func gap(_ page: [UInt8], isFirst: Bool = false) -> Range<Int>? {
    page.withUnsafeBytes { PageGap.content(of: $0, isFirst: isFirst) }
  }

  @Test func theGapIsBetweenPointersAndCells() {
    #expect(Self.gap(Self.leaf()) == 12..<504)
    #expect(Self.gap(Self.leaf { $0[0] = 10 }) == 12..<504)
    // An interior page has the number of its last child before the pointers.
    #expect(
      Self.gap(
        Self.leaf {
          $0.replaceSubrange(0..<16, with: $0[0..<8] + [0, 0, 0, 9] + $0[8..<12]); $0[0] = 5
        }) == 16..<504)
    #expect(Self.gap(Self.leaf { $0.replaceSubrange(0..<8, with: [13, 0, 0, 0, 0, 0x02, 0, 0]) }) == 8..<512)
    // The first page begins with the header of the file.
    var first = [UInt8](repeating: 0xEE, count: 512)
    first.replaceSubrange(100..<112, with: Self.leaf()[0..<12])
    #expect(Self.gap(first, isFirst: true) == 112..<504)
    #expect(Self.gap(first) == nil)
  }

  @Test func aGapOfZerosIsLeft() {
    #expect(Self.gap(Self.leaf { $0.replaceSubrange(12..<504, with: [UInt8](repeating: 0, count: 492)) }) == nil)
    #expect(
      Self.gap(Self.leaf { $0.replaceSubrange(12..<503, with: [UInt8](repeating: 0, count: 491)) }) == 12..<504)
  }

  /// Whatever is not as SQLite writes it: nothing of the page is changed.
  @Test func otherPagesAreLeft() {
    let changes: [(String, (inout [UInt8]) -> Void)] = [
      ("another kind", { $0[0] = 0 }), ("a page number", { $0[0] = 1 }),
      ("more cells than fit", { $0[3] = 1 }),
      (
        "cells before the pointers' end",
        {
          $0[5] = 0; $0[6] = 11
        }
      ),
      (
        "cells beyond the page",
        {
          $0[5] = 2; $0[6] = 1
        }
      ), ("a cell before the first", { $0[9] = 0xF7 }),
      ("a cell beyond the page", { $0[8] = 2 }),
      (
        "a free block in the gap",
        {
          $0[1] = 0; $0[2] = 100
        }
      ),
      ("too many fragments", { $0[7] = 61 }),
      ("an interior page without cells", { $0.replaceSubrange(0..<8, with: [2, 0, 0, 0, 0, 2, 0, 0]) }),
      (
        "a page without cells that has some",
        {
          $0[4] = 0; $0[5] = 0; $0[6] = 200
        }
      ),
    ]
    for (name, change) in changes { #expect(Self.gap(Self.leaf(change)) == nil, "\(name)") }
    #expect(Self.gap(Array(Self.leaf()[..<500])) == nil)
    #expect(Self.gap([]) == nil)
  }
}
