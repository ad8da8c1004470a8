import ChatAPI
import ChatStore
import FileAccess
import RemoteControl
import RemoteControlProtocol
import SimplexTransport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// Files that a desktop stores on this device, and fetches from it.

extension ChatController {
  /// Moves a file that a desktop sent to its place, with a name that is not taken: into the folder of files, or else
  /// that of downloads.
  /// - Parameter name: the name that the desktop gave it, of which the last component is used.
  /// - Returns: the path as messages name it.
  func storeUpload(_ file: String, named name: String) async throws(ChatError) -> String {
    let folders = folders
    let stored = try folders.createReceived(name) { place in
      (try? store.read { try $0.isPlace(place) }) ?? true
    }
    let path = folders.path(stored)
    // Before it has its content: one that is in no item after a day is removed, also after a kill. Without a folder of
    // files it is where the user sees it.
    if folders.files != nil {
      do throws(ChatError) { try turn { try $0.rows.addUpload(stored) } } catch {
        folders.remove(stored)
        throw error
      }
    }
    do throws(FileAccess.FileError) {
      try await BlockingWork.files.run { () throws(FileAccess.FileError) in
        if rename(file, path) != 0 {
          // Another file system.
          guard errno == EXDEV else { throw FileError(.rename, path, code: errno) }
          _ = unlink(path)
          try WholeFile.copy(file, to: path)
        }
        try FileDescriptor.syncFolder(of: path)
      }
    } catch {
      folders.remove(stored)
      throw .error(errorType: .fileWrite(filePath: path, message: String(cString: strerror(error.code))))
    }
    return stored
  }

  /// Removes the files that desktops stored more than a day ago and that are in no item.
  func removeUnusedUploads() async throws(ChatError) {
    // Of another folder, nothing would be known.
    guard folders.files != nil else { return }
    while true {
      let old = try turn { try $0.rows.uploads(olderThan: 86_400) }
      guard !old.isEmpty else { return }
      var code: Int32 = 0
      for upload in old where !upload.isUsed {
        code = folders.removeOwned(upload.path)
        if code != 0 { throw LocalFolders.removalFailure(upload.path, code: code) }
      }
      try turn { turn in for upload in old { try turn.rows.removeUpload(upload.path) } }
      await Task.yield()
    }
  }

  /// The file that a desktop asks for, by its exact record.
  nonisolated func download(_ file: RemoteFileReference, of user: User) async throws(ChatError) -> RemoteReply {
    guard file.userID == user.userId else {
      throw .error(errorType: .differentActiveUser(commandUserId: file.userID, activeUserId: user.userId))
    }
    let stored = try store.read { try $0.file(file.fileID, of: user) }
    let encryption = stored.cryptoArgs.map {
      RemoteFileReference.Encryption(fileKey: $0.fileKey, fileNonce: $0.fileNonce)
    }
    guard stored.isSent == file.isSent, let path = stored.path, path == file.path, encryption == file.encryption else {
      throw .errorStore(storeError: .fileNotFound(fileId: file.fileID))
    }
    let local = await folders.path(path)
    let summary = try await Self.summary(ofFile: local, named: path)
    return RemoteReply(.file(size: summary.size, digest: summary.digest), filePath: local)
  }

  /// The size and digest of a file, read on a thread for blocking work.
  static func summary(ofFile path: String, named name: String) async throws(ChatError) -> RemoteFileSummary {
    do throws(FrameError) { return try await RemoteFileSummary.read(file: path) } catch {
      throw .error(errorType: .fileInternal(message: "\(name) cannot be sent to another device: \(error)"))
    }
  }
}
