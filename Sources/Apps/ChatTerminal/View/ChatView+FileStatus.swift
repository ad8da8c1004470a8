import ChatAPI

// What `/fstatus` says.
extension ChatView {
  /// The state of the transfer of an item's file through file servers.
  func status(ofFileIn item: AChatItem) -> [StyledText] {
    guard let file = item.chatItem.file else { return ["no file status"] }
    let name = "file \(file.fileId) (\(file.fileName))"
    let accept = StyledText.highlight("/fr \(file.fileId)")
    switch file.fileStatus {
    case .sndStored: return ["sending \(name) just started"]
    case .sndTransfer(let done, let total):
      return ["sending \(name) in progress \(Self.progress(done, of: total, size: file.fileSize))"]
    case .sndCancelled: return ["sending \(name) cancelled"]
    case .sndComplete: return ["sending \(name) complete"]
    case .sndError(let error): return ["sending \(name) error: \(text(error, isOfSending: true))"]
    case .sndWarning(let error): return ["sending \(name) warning: \(text(error, isOfSending: true))"]
    case .rcvInvitation: return ["receiving \(name) not accepted yet, use \(accept) to receive file"]
    case .rcvAccepted: return ["receiving \(name) just started"]
    case .rcvTransfer(let done, let total):
      return ["receiving \(name) progress \(Self.progress(done, of: total, size: file.fileSize))"]
    case .rcvAborted: return ["receiving \(name) aborted, use \(accept) to receive file"]
    case .rcvComplete:
      return ["receiving \(name) complete\(file.fileSource.map { ", path: \($0.filePath)" } ?? "")"]
    case .rcvCancelled: return ["receiving \(name) cancelled"]
    case .rcvError(let error): return ["receiving \(name) error: \(text(error))"]
    case .rcvWarning(let error): return ["receiving \(name) warning: \(text(error))"]
    case .invalid(let text): return ["\(name) invalid status: \(text)"]
    }
  }

  /// In words for a person; programs know the name of the error.
  private func text(_ error: FileError, isOfSending: Bool = false) -> String {
    if showsStatus, isOfSending, error == .auth {
      return "The server refused it: it accepts no new files, or the password in its address is wrong"
    }
    guard !showsStatus else { return error.text }
    switch error {
    case .auth: return "FileErrAuth"
    case .noFile: return "FileErrNoFile"
    default: return error.text
    }
  }

  /// The state of a transfer in messages.
  func status(of transfer: FileTransfer, received parts: [Int64]) -> [StyledText] {
    switch transfer {
    case .snd(let file, let transfers): return status(of: file, transfers, parts)
    case .rcv(let transfer):
      let invitation = transfer.fileInvitation
      let name = "file \(transfer.fileId) (\(invitation.fileName))"
      switch transfer.fileStatus {
      case .new:
        let accept = StyledText.highlight("/fr \(transfer.fileId)")
        return ["receiving \(name) not accepted yet, use \(accept) to receive file"]
      case .accepted: return ["receiving \(name) just started"]
      case .connected:
        let done = FileProgress.bytes(parts, of: transfer.chunkSize)
        return ["receiving \(name) progress \(Self.progress(done, of: invitation.fileSize, size: invitation.fileSize))"]
      case .complete(let path): return ["receiving \(name) complete, path: \(path)"]
      case .cancelled(let path):
        return ["receiving \(name) cancelled\(path.map { ", received part path: \($0)" } ?? "")"]
      }
    }
  }

  private func status(of file: FileTransferMeta, _ transfers: [SndFileTransfer], _ parts: [Int64]) -> [StyledText] {
    let name = "file \(file.fileId) (\(file.fileName))"
    let cancelled: [StyledText] = file.cancelled ? ["file transfer cancelled"] : []
    guard !transfers.isEmpty else { return ["sending \(name): no file transfers"] + cancelled }
    let statuses = FileStatus.allCases.compactMap { status -> StyledText? in
      let those = transfers.filter { $0.fileStatus == status }
      return those.isEmpty ? nil : "\(text(status, of: file, parts)): \(names(those))"
    }
    guard let first = statuses.first, statuses.count == 1 else {
      return ["sending \(name): "] + statuses.map { "  \($0)" } + cancelled
    }
    return ["sending \(name) \(first)"] + cancelled
  }

  private func text(_ status: FileStatus, of file: FileTransferMeta, _ parts: [Int64]) -> String {
    switch status {
    case .new: return "not accepted"
    case .accepted: return "just started"
    case .connected:
      // What all recipients got, of what they are to get.
      let done = FileProgress.bytes(parts, of: file.chunkSize) / Int64(max(1, parts.count))
      return "in progress (\(FileProgress.percent(done, of: file.fileSize))%)"
    case .complete: return "complete"
    case .cancelled: return "cancelled"
    }
  }
}

/// Arithmetic on the progress of transfers that cannot overflow.
enum FileProgress {
  /// How many percent were transferred, from 0 to 100; 0 of nothing.
  static func percent(_ done: Int64, of total: Int64) -> Int64 {
    guard total > 0 else { return 0 }
    let (product, overflows) = done.multipliedReportingOverflow(by: 100)
    guard !overflows else { return Int64(min(100, max(0, Double(done) / Double(total) * 100))) }
    return min(100, max(0, product / total))
  }

  /// The bytes of some numbers of parts.
  static func bytes(_ parts: [Int64], of size: Int64) -> Int64 {
    parts.reduce(0) { sum, count in
      let (bytes, isTooMuch) = count.multipliedReportingOverflow(by: size)
      let (next, overflows) = sum.addingReportingOverflow(bytes)
      return isTooMuch || overflows ? .max : next
    }
  }
}
