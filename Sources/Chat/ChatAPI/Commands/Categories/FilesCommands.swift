/// Receiving, cancelling, uploading and downloading (specification section 2.7).
enum FilesCommands: CommandCategory {
  static func declare(in commands: inout CommandDeclarations) {
    commands.command(
      "receiveFile", "/freceive ", or: ["/fr "],
      id("fileId"), flag(" approved_relays="), onOff.optional(after: " encrypt="), onOff.optional(after: " inline="),
      text("path").optional(),
      make: ChatCommand.receiveFile,
      match: {
        if case .receiveFile(let fileId, let userApprovedRelays, let encrypted, let inline, let filePath) = $0 {
          (fileId, userApprovedRelays, encrypted, inline, filePath)
        } else {
          nil
        }
      })
    commands.command(
      "setFileToReceive", "/_set_file_to_receive ",
      id("fileId"), flag(" approved_relays="), onOff.optional(after: " encrypt="),
      make: ChatCommand.setFileToReceive,
      match: {
        if case .setFileToReceive(let fileId, let userApprovedRelays, let encrypted) = $0 {
          (fileId, userApprovedRelays, encrypted)
        } else {
          nil
        }
      })
    commands.command(
      "cancelFile", "/fcancel ", or: ["/fc "],
      id("fileId"),
      make: ChatCommand.cancelFile,
      match: { if case .cancelFile(let fileId) = $0 { fileId } else { nil } })
    commands.command(
      "apiUploadStandaloneFile", "/_upload ",
      id("userId"), cryptoFile.after(" "),
      make: ChatCommand.apiUploadStandaloneFile,
      match: { if case .apiUploadStandaloneFile(let userId, let file) = $0 { (userId, file) } else { nil } })
    commands.command(
      "apiDownloadStandaloneFile", "/_download ",
      id("userId"), link("link").after(" "), cryptoFile.after(" "),
      make: ChatCommand.apiDownloadStandaloneFile,
      match: {
        if case .apiDownloadStandaloneFile(let userId, let url, let file) = $0 { (userId, url, file) } else { nil }
      })
    commands.command(
      "apiStandaloneFileInfo", "/_download info ",
      link("link"),
      make: ChatCommand.apiStandaloneFileInfo,
      match: { if case .apiStandaloneFileInfo(let url) = $0 { url } else { nil } })
  }
}
