import FileAccess
import SimplexCrypto
import WireCodec
import XFTPProtocol

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A file that is written from its beginning when the first bytes come.
///
/// Unchecked: one step at a time uses it.
final class FileDraft: @unchecked Sendable {
  private let path: String
  private let access: FileDescriptor.Access
  private var file: FileDescriptor?

  init(_ path: String, _ access: FileDescriptor.Access = .writing) {
    self.path = path
    self.access = access
  }

  func write(_ bytes: ArraySlice<UInt8>) throws(FileError) {
    if file == nil { file = try FileDescriptor(path, access) }
    try bytes.span.bytes.withUnsafeBytes { (bytes) throws(FileError) in try file?.write(bytes) }
  }

  /// Waits until the bytes are on the disk.
  func sync() throws(FileError) { try file?.sync() }
}

/// Separates the header of a file from its content.
struct HeaderFilter {
  private var start: [UInt8] = []
  private(set) var header: FileHeader?

  /// The content in the next part of the text of an encrypted form, whose size is known to be `textCount`.
  mutating func content(of text: ArraySlice<UInt8>, textCount: Int64?) throws(FileTransferError) -> ArraySlice<UInt8> {
    guard header == nil else { return text }
    start += text
    guard let textCount, start.count >= min(Int64(FileHeader.sizeLimit), textCount) else { return [] }
    let size: Int
    do throws(WireError) {
      let (header, count) = try FileHeader.read(from: start.span.bytes)
      (self.header, size) = (header, count)
    } catch {
      throw .damaged("its header cannot be read")
    }
    defer { start = [] }
    return start[size...]
  }

  /// Checks that there was a header.
  func finish() throws(FileTransferError) {
    guard header != nil else { throw .damaged("it has no header") }
  }
}

/// The text of an encrypted form: the header, and the content that is written to a file beside its destination. Until
/// all of it was found to be authentic, the file has a random name that belongs to nobody else.
struct OpenedFile {
  private var filter = HeaderFilter()
  private var destination: String?
  private var draftPath: String?
  private var draft: FileDraft?

  mutating func append(
    _ text: ArraySlice<UInt8>, textCount: Int64?, willWrite: (String) -> Void,
    destination place: (String) throws(FileTransferError) -> String
  ) throws(FileTransferError) {
    let content = try filter.content(of: text, textCount: textCount)
    guard let header = filter.header else { return }
    if destination == nil {
      let path = try place(header.fileName)
      destination = path
      var random = SystemRandom()
      let draftPath = "\(Folder.parent(of: path) ?? ".")/.\(Base64URL.unpadded(random.bytes(12))).part"
      willWrite(draftPath)
      draft = FileDraft(draftPath, .creating)
      self.draftPath = draftPath
    }
    try write(content)
  }

  private func write(_ bytes: ArraySlice<UInt8>) throws(FileTransferError) {
    do throws(FileError) { try draft?.write(bytes) } catch { throw .file(error) }
  }

  /// Gives the file its name, durably. What has the name meanwhile is not replaced.
  mutating func finish() throws(FileTransferError) -> String {
    guard let destination, let draftPath else { throw .damaged("it has no header") }
    do throws(FileError) {
      try draft?.sync()
      draft = nil
      try Self.move(draftPath, to: destination)
      try FileDescriptor.syncFolder(of: destination)
    } catch {
      throw .file(error)
    }
    return destination
  }

  private static func move(_ draft: String, to path: String) throws(FileError) {
    if link(draft, path) == 0 {
      unlink(draft)
      return
    }
    guard errno != EEXIST else { throw FileError(.rename, path, code: EEXIST) }
    // Some file systems have no links.
    guard access(path, F_OK) != 0 else { throw FileError(.rename, path, code: EEXIST) }
    guard rename(draft, path) == 0 else { throw FileError(.rename, path, code: errno) }
  }

  mutating func discard() {
    draft = nil
    if let draftPath { unlink(draftPath) }
  }
}
