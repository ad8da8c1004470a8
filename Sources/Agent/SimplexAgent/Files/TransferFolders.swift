import AgentCore
import FileAccess
import SimplexCrypto
import WireCodec
import SimplexTransport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The folder of temporary files, in which each file in progress has a folder of its own, and the one of the
/// application's files. What is stored says neither: both may be elsewhere at the next start.
struct TransferFolders: Sendable {
  /// The folder of temporary files.
  let workFolder: String
  /// Where files of this device with relative paths are; nil for the folder of the process.
  var filesFolder: String?

  /// The kinds of files, as the names of their folders end.
  enum Kind: String, CaseIterable { case sent = ".snd.xftp", received = ".rcv.xftp" }

  /// Creates the folder of temporary files if there is none.
  init(workFolder: String, filesFolder: String?) throws(AgentError) {
    self.workFolder = workFolder
    self.filesFolder = filesFolder
    do throws(FileError) { try Folder.create(workFolder) } catch { throw .file(.local("\(error)")) }
  }

  /// The folder of a file, which need not exist.
  func place(of file: AgentFileID, _ kind: Kind) -> String { "\(workFolder)/\(file.text)\(kind.rawValue)" }

  /// Creates the folder of a file if there is none.
  func create(_ file: AgentFileID, _ kind: Kind) throws(FileError) -> String {
    let place = place(of: file, kind)
    try Folder.create(place)
    return place
  }

  /// Removes the folder of a file.
  func remove(_ file: AgentFileID, _ kind: Kind) { Self.remove(place(of: file, kind)) }

  private static func remove(_ place: String) {
    for name in Folder.names(in: place) ?? [] { unlink("\(place)/\(name)") }
    rmdir(place)
  }

  /// Removes the folders of files that are not in progress. What has other names is left alone.
  func removeOrphans(except open: (sent: Set<AgentFileID>, received: Set<AgentFileID>)) {
    for name in Folder.names(in: workFolder) ?? [] {
      for kind in Kind.allCases where name.hasSuffix(kind.rawValue) {
        guard let bytes = Base64URL.decode(String(name.dropLast(kind.rawValue.count))) else { continue }
        let ids = kind == .sent ? open.sent : open.received
        if !ids.contains(AgentFileID(bytes)) { Self.remove("\(workFolder)/\(name)") }
      }
    }
  }

  /// A file of this device, with its path as it is now.
  func located(_ file: LocalFile) -> LocalFile {
    guard let filesFolder, !file.path.hasPrefix("/") else { return file }
    return LocalFile(path: "\(filesFolder)/\(file.path)", encryption: file.encryption)
  }

  /// The file that a received file is written to before it gets its name, beside its destination.
  static func draft(of destination: LocalFile, _ file: AgentFileID) -> LocalFile {
    LocalFile(
      path: "\(Folder.parent(of: destination.path) ?? ".")/.\(file.text).part", encryption: destination.encryption)
  }

  /// Removes that file.
  static func removeDraft(of destination: LocalFile, _ file: AgentFileID) { unlink(draft(of: destination, file).path) }

  /// Gives a draft the name of its destination, durably.
  /// - Returns: false, and nothing is done, where the work is to stop.
  static func finish(
    _ draft: LocalFile, _ destination: LocalFile, unless stop: StopFlag
  ) throws(FileError) -> Bool {
    let isDone = try stop.unlessSet { () throws(FileError) in
      guard rename(draft.path, destination.path) == 0 else {
        throw FileError(.rename, destination.path, code: errno)
      }
    }
    if isDone { try FileDescriptor.syncFolder(of: destination.path) }
    return isDone
  }
}
