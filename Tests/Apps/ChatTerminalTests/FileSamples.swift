import ChatAPI
import ChatStateTesting
import Foundation

@testable import ChatTerminal

/// Items with files, and their transfers.
struct FileSamples {
  let bob = Samples.contact(2, "bob", at: Samples.time(0))

  /// An item with a file of 139,737 bytes in the chat with bob, or in a group.
  func item(
    _ direction: CIDirection, _ text: String, _ status: CIFileStatus, path: String? = nil, in group: GroupInfo? = nil,
    id: Int64 = 1, size: Int64 = 139_737
  ) -> AChatItem {
    var item = Samples.item(id, direction: direction, text: text, at: Samples.time(0))
    item.content =
      direction.sent
      ? .sndMsgContent(msgContent: .file(text)) : .rcvMsgContent(msgContent: .file(text))
    item.file = CIFile(
      fileId: id, fileName: "test.jpg", fileSize: size, fileSource: path.map { CryptoFile(filePath: $0) },
      fileStatus: status, fileProtocol: .xftp)
    let info = group.map { ChatInfo.group(groupInfo: $0, groupChatScope: nil) } ?? .direct(contact: bob)
    return AChatItem(chatInfo: info, chatItem: item)
  }

  /// A file being sent.
  func sent(_ id: Int64 = 1, redirectFor: Int64? = nil) -> FileTransferMeta {
    FileTransferMeta(
      fileId: id, xftpRedirectFor: redirectFor, fileName: "test.jpg", filePath: "./test.jpg", fileSize: 139_737,
      chunkSize: 65_536, cancelled: false)
  }

  /// A file being sent in messages.
  func inMessages(_ recipient: String, _ status: FileStatus) -> SndFileTransfer {
    SndFileTransfer(
      fileId: 1, fileName: "test.jpg", filePath: "./test.jpg", fileSize: 100_000, chunkSize: 10_000,
      recipientDisplayName: recipient, connId: 1, agentConnId: "conn", fileStatus: status)
  }

  /// A file being received.
  func received(_ id: Int64 = 1, from sender: String = "bob", _ status: RcvFileStatus = .new) -> RcvFileTransfer {
    RcvFileTransfer(
      fileId: id, fileInvitation: FileInvitation(fileName: "test.jpg", fileSize: 139_737), fileStatus: status,
      senderDisplayName: sender, chunkSize: 10_000, cancelled: false)
  }

  let part = RcvFileDescr(fileDescrId: 1, fileDescrText: "", fileDescrPartNo: 0, fileDescrComplete: true)

  /// The lines with TIME for the time, which depends on where the test runs.
  func withoutTime(_ lines: [StyledText]) -> [String] {
    let time = LocalTime(Samples.time(0)).short(now: LocalTime(Samples.time(60)))
    return lines.map { $0.text.hasPrefix(time) ? "TIME" + $0.text.dropFirst(time.count) : $0.text }
  }
}
