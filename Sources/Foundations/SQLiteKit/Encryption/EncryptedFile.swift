import CSQLite

/// One open file of an encrypted database, under SQLite and above the platform's file.
///
/// It turns SQLite's reads and writes of plaintext into reads and writes of encrypted pages. Governs: which bytes of
/// each kind of file are page images, and with which page number. Does not govern: locks, shared memory, sync and
/// sizes, which go to the platform's file as they are.
final class EncryptedFile {
  /// What a file of a database is, as far as it matters where its page images are.
  enum Kind {
    /// Nothing but pages.
    case database
    /// A header of 32 bytes, then frames: 24 bytes, of which the first four are the page number, and a page.
    case writeAheadLog
    /// Sectors of header and records: page number, page, checksum. Page images are what is written in their size.
    case rollbackJournal
  }

  /// The record of a rollback journal whose checksum SQLite reads or writes next. In the file, checksums are of
  /// encrypted images, as SQLCipher has them; SQLite has those of the images in the clear.
  private struct JournalRecord {
    /// Where its checksum is.
    var checksumOffset: Int64
    /// What is added to SQLite's checksum to get that of the file.
    var difference: UInt32
  }

  private let kind: Kind
  private let path: String
  private let key: KeyInUse
  private let cipher: PageCipher
  private let platformFile: UnsafeMutablePointer<sqlite3_file>
  private var record: JournalRecord?
  /// Whether SQLite is looking for the end of the log: it has read the header, and only whole frames since.
  private var isRecovering = false
  /// Whether the database has pages that cannot be told from those of tables (``PageGap/pointerMapField``).
  private var hasPointerMaps = false
  /// The random start of checksums, from the header of the journal that was read or written last.
  private var checksumStart: UInt32 = 0

  private static let pageSize = Int64(PageCipher.pageSize)
  private static let logHeaderSize: Int64 = 32
  private static let frameHeaderSize: Int64 = 24
  private static let frameSize = frameHeaderSize + pageSize
  private static let journalMagic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
  /// Where the start of checksums is in a journal's header.
  private static let checksumStartOffset: Int64 = 12

  init(
    kind: Kind, path: String, key: KeyInUse, cipher: PageCipher, platformFile: UnsafeMutablePointer<sqlite3_file>
  ) {
    self.kind = kind
    self.path = path
    self.key = key
    self.cipher = cipher
    self.platformFile = platformFile
  }

  // MARK: Reading

  func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int32 {
    switch kind {
    case .database: readPages(buffer, at: offset, first: 0, stride: Self.pageSize, number: pageOfDatabase)
    case .writeAheadLog: readLog(buffer, at: offset)
    case .rollbackJournal: readJournal(buffer, at: offset)
    }
  }

  private func readLog(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int32 {
    let (count, position) = (Int64(buffer.count), offset - Self.logHeaderSize)
    // Recovery reads the header, then frame after frame.
    if offset == 0, count == Self.logHeaderSize {
      isRecovering = true
    } else if count != Self.frameSize || position < 0 || position % Self.frameSize != 0 {
      isRecovering = false
    }
    return readPages(
      buffer, at: offset, first: Self.logHeaderSize + Self.frameHeaderSize, stride: Self.frameSize,
      number: pageOfRecord(Self.frameHeaderSize))
  }

  /// Reads a range in which page images begin at `first` and every `stride` bytes after it.
  private func readPages(
    _ buffer: UnsafeMutableRawBufferPointer, at offset: Int64, first: Int64, stride: Int64,
    number: (Int64) -> UInt32?
  ) -> Int32 {
    // What lies between page images is read as it is, and is right even where the file ends within the range.
    let code = platformRead(buffer, offset)
    guard code == SQLITE_OK || code == Self.shortRead else { return code }
    let end = offset + Int64(buffer.count)
    var start = first + max(0, (offset - first) / stride) * stride
    while start < end {
      let from = max(start, offset)
      let to = min(start + Self.pageSize, end)
      if from < to {
        let pageCode = platformRead(cipher.page, start)
        // A page that the file does not hold whole has no content yet: what was read (zeros) stands.
        if pageCode == Self.shortRead { return code }
        guard pageCode == SQLITE_OK else { return pageCode }
        guard let number = number(start), cipher.decryptPage(number) else {
          return rejected(buffer, at: offset, page: start)
        }
        key.prove()
        if kind == .database, start == 0 { hasPointerMaps = cipher.page[PageGap.pointerMapField].contains { $0 != 0 } }
        buffer.slice(from - offset, to - from).copyMemory(from: cipher.page.slice(from - start, to - from).asRaw)
      }
      start += stride
    }
    return code
  }

  /// The result of a read in which a page image is not authentic: torn by a crash, damaged, or of another key.
  private func rejected(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64, page start: Int64) -> Int32 {
    switch kind {
    case .database where start == 0:
      if !key.isProven { proveKeyByOtherPages() }
      // SQLite reads the beginning of the file before it looks for a log or a journal. One that is left may have the
      // first page whole; SQLite then takes it from there, as it does where the file in the clear is torn.
      if Int64(buffer.count) < Self.pageSize, DatabaseFile.hasUnfinished(path) {
        _ = buffer.initializeMemory(as: UInt8.self, repeating: 0)
        return Self.shortRead
      }
      return key.isProven ? SQLITE_CORRUPT : SQLITE_NOTADB
    case .writeAheadLog where isRecovering:
      // With a wrong key SQLite would take the log for an empty one and delete it.
      guard key.isProven else { return SQLITE_NOTADB }
      // A frame without a page number is never valid, whatever its checksum is: the log ends before it, as it does in
      // the clear where the checksum of a torn frame is wrong.
      _ = buffer.initializeMemory(as: UInt8.self, repeating: 0)
      return SQLITE_OK
    case .database, .writeAheadLog, .rollbackJournal:
      return SQLITE_CORRUPT
    }
  }

  /// Looks whether one of the pages after the first is authentic.
  private func proveKeyByOtherPages() {
    for number: UInt32 in 2...4 {
      let code = platformRead(cipher.page, Int64(number - 1) * Self.pageSize)
      guard code == SQLITE_OK else { return }
      if cipher.decryptPage(number) { return key.prove() }
    }
  }

  private func readJournal(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int32 {
    let code = platformRead(buffer, offset)
    guard code == SQLITE_OK else { return code }
    if buffer.starts(with: Self.journalMagic) {
      checksumStart = platformNumber(at: offset + Self.checksumStartOffset) ?? 0
    } else if Int64(buffer.count) == Self.pageSize {
      return decryptImage(buffer, at: offset)
    } else if let record, record.checksumOffset == offset, buffer.count == 4 {
      let stored = UInt32(bigEndian: buffer.loadUnaligned(as: UInt32.self))
      buffer.storeBytes(of: (stored &- record.difference).bigEndian, as: UInt32.self)
    }
    return code
  }

  /// Decrypts an image of a journal, which was just read.
  private func decryptImage(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int32 {
    cipher.page.copyMemory(from: UnsafeRawBufferPointer(buffer))
    let encrypted = Self.checksum(cipher.page.asRaw)
    var record = JournalRecord(checksumOffset: offset + Self.pageSize, difference: 0)
    if let number = pageOfRecord(4)(offset), cipher.decryptPage(number) {
      record.difference = encrypted &- Self.checksum(cipher.page.asRaw)
      buffer.copyMemory(from: cipher.page.asRaw)
    } else {
      // The checksum matches the encrypted image, so the record is whole and the key is wrong. SQLite would end the
      // rollback here and delete the journal.
      let stored = platformNumber(at: record.checksumOffset)
      if stored == checksumStart &+ encrypted { return SQLITE_NOTADB }
      // It was torn by a crash, and is the end. Its image stays encrypted, and its checksum must not match that, also
      // where it differs by one.
      record.difference = stored == checksumStart &+ encrypted &+ 1 ? 2 : 1
    }
    self.record = record
    return SQLITE_OK
  }

  // MARK: Writing

  func write(_ buffer: UnsafeRawBufferPointer, at offset: Int64) -> Int32 {
    switch kind {
    case .database:
      guard Int64(buffer.count) == Self.pageSize, offset % Self.pageSize == 0 else { return Self.writeFailure }
      return writePage(buffer, at: offset, number: pageOfDatabase(offset), gap: gap(of: buffer, at: offset))
    case .writeAheadLog:
      isRecovering = false
      let inFrame = (offset - Self.logHeaderSize) % Self.frameSize
      if offset >= Self.logHeaderSize, inFrame == Self.frameHeaderSize, Int64(buffer.count) == Self.pageSize {
        return writePage(buffer, at: offset, number: pageOfRecord(Self.frameHeaderSize)(offset))
      }
      // Headers are written alone; anything that would put page content in the clear is refused.
      guard Int64(buffer.count) <= Self.logHeaderSize else { return Self.writeFailure }
      return platformWrite(buffer, offset)
    case .rollbackJournal:
      return writeJournal(buffer, at: offset)
    }
  }

  private func writeJournal(_ buffer: UnsafeRawBufferPointer, at offset: Int64) -> Int32 {
    if Int64(buffer.count) == Self.pageSize, !buffer.starts(with: Self.journalMagic) {
      let code = writePage(buffer, at: offset, number: pageOfRecord(4)(offset))
      let difference = Self.checksum(cipher.page.asRaw) &- Self.checksum(buffer)
      record = JournalRecord(checksumOffset: offset + Self.pageSize, difference: difference)
      return code
    }
    guard let record, record.checksumOffset == offset, buffer.count == 4 else { return platformWrite(buffer, offset) }
    let checksum = UInt32(bigEndian: buffer.loadUnaligned(as: UInt32.self)) &+ record.difference
    return withUnsafeBytes(of: checksum.bigEndian) { platformWrite($0, offset) }
  }

  /// What SQLite adds to the start of checksums for an image: every 200th byte from its end.
  private static func checksum(_ page: UnsafeRawBufferPointer) -> UInt32 {
    var sum: UInt32 = 0
    for distance in stride(from: 200, to: page.count, by: 200) { sum &+= UInt32(page[page.count - distance]) }
    return sum
  }

  /// The bytes to overwrite in a page of the database; nil for none.
  private func gap(of page: UnsafeRawBufferPointer, at offset: Int64) -> Range<Int>? {
    if offset == 0 { hasPointerMaps = page[PageGap.pointerMapField].contains { $0 != 0 } }
    guard !hasPointerMaps, let gap = PageGap.content(of: page, isFirst: offset == 0) else { return nil }
    var size: Int64 = 0
    guard platformFile.pointee.pMethods.pointee.xFileSize(platformFile, &size) == SQLITE_OK,
      size / Self.pageSize < PageGap.pageLimit
    else { return nil }
    return gap
  }

  private func writePage(
    _ buffer: UnsafeRawBufferPointer, at offset: Int64, number: UInt32?, gap: Range<Int>? = nil
  ) -> Int32 {
    guard let number else { return Self.writeFailure }
    cipher.page.copyMemory(from: buffer)
    if let gap { PageGap.erase(gap, in: cipher.page) }
    guard cipher.encryptPage(number) else { return Self.writeFailure }
    return platformWrite(cipher.page.asRaw, offset)
  }

  // MARK: Page numbers

  private func pageOfDatabase(_ offset: Int64) -> UInt32? { UInt32(exactly: offset / Self.pageSize + 1) }

  /// The page number at the beginning of a record whose page image begins `headerSize` bytes later.
  private func pageOfRecord(_ headerSize: Int64) -> (Int64) -> UInt32? {
    { [self] offset in platformNumber(at: offset - headerSize) }
  }

  // MARK: The platform's file

  private func platformRead(_ buffer: UnsafeMutableRawBufferPointer, _ offset: Int64) -> Int32 {
    platformFile.pointee.pMethods.pointee.xRead(platformFile, buffer.baseAddress, Int32(buffer.count), offset)
  }

  /// A number of four bytes; nil where the file does not have them.
  private func platformNumber(at offset: Int64) -> UInt32? {
    var number: UInt32 = 0
    let code = withUnsafeMutableBytes(of: &number) { platformRead($0, offset) }
    return code == SQLITE_OK ? UInt32(bigEndian: number) : nil
  }

  private func platformWrite(_ buffer: UnsafeRawBufferPointer, _ offset: Int64) -> Int32 {
    platformFile.pointee.pMethods.pointee.xWrite(platformFile, buffer.baseAddress, Int32(buffer.count), offset)
  }

  // Extended codes are macros with shifts, which Swift does not import.
  private static let shortRead = SQLITE_IOERR | 2 << 8
  private static let writeFailure = SQLITE_IOERR | 3 << 8
}

extension UnsafeMutableRawBufferPointer {
  fileprivate func slice(_ offset: Int64, _ count: Int64) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: self[Int(offset)..<Int(offset + count)])
  }

  fileprivate var asRaw: UnsafeRawBufferPointer { UnsafeRawBufferPointer(self) }
}
