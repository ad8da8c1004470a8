import ChatAPI
import ChatLogic
import ChatStore
import FileAccess
import FoundationTypes
import SimplexCrypto
import WireCodec

// Forwarding messages with files: each gets a copy of its own, so that either can be deleted.

extension ChatItem {
  /// The content of its message, where it can be forwarded.
  fileprivate var forwardable: MsgContent? { meta.itemDeleted == nil ? content.msgContent : nil }
}

extension Turn {
  /// Returns which of these items can be forwarded, and what is missing.
  func planForward(_ ids: [Int64], from conversation: any Conversation) throws -> ChatResponse {
    var possible: [Int64] = []
    var problems: [(problem: ForwardProblem, file: Int64)] = []
    for item in try items(ids, in: conversation.chat, of: conversation.user) {
      guard let content = item.forwardable else { continue }
      guard let file = item.file, let problem = problem(forwarding: file) else {
        possible.append(item.meta.itemId)
        continue
      }
      problems.append((problem, file.fileId))
      if content.forwarded(hasFile: false) != nil { possible.append(item.meta.itemId) }
    }
    let main = problems.map(\.problem).min()
    let files = problems.filter { $0.problem == main }.map(\.file)
    let confirmation: ForwardConfirmation? =
      switch main {
      case nil: nil
      case .notAccepted: .filesNotAccepted(fileIds: files)
      case .inProgress: .filesInProgress(filesCount: files.count)
      case .failed: .filesFailed(filesCount: files.count)
      case .missing: .filesMissing(filesCount: files.count)
      }
    return .response1(
      .forwardPlan(
        user: conversation.user, itemsCount: ids.count, chatItemIds: possible, forwardConfirmation: confirmation))
  }

  private func problem(forwarding file: CIFile) -> ForwardProblem? {
    if let problem = ForwardProblem(file.fileStatus) { return problem }
    guard let source = file.fileSource, PathStatus.exists(environment.folders.path(source.filePath)) else {
      return .missing
    }
    return nil
  }

  /// The files of items that can be forwarded, by the numbers of the items.
  func filesToForward(
    _ ids: [Int64], from conversation: any Conversation
  ) -> [(item: Int64, file: CryptoFile, name: String)] {
    ids.compactMap { id in
      guard let item = try? rows.item(id, in: conversation.chat, of: conversation.user),
        let content = item.forwardable, let file = item.file, problem(forwarding: file) == nil,
        let source = file.fileSource
      else { return nil }
      return (id, source, Self.copyName(of: file.fileName, content, at: rows.now))
    }
  }

  /// Pictures, videos and voice messages get names with the time.
  private static func copyName(of name: String, _ content: MsgContent, at time: Date) -> String {
    guard let prefix = FileRules.copyPrefix(content) else { return name }
    let digits = (time.utcTime?.description ?? "").utf8.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    let text = String(decoding: digits.prefix(14), as: UTF8.self)
    let ending = name.lastIndex(of: ".").map { name[$0...] } ?? ""
    return "\(prefix)\(text.prefix(8))_\(text.dropFirst(8))\(ending)"
  }
}

extension ChatController {
  /// Copies the files of items that are forwarded. Where there is no folder for files, the copies are the files
  /// themselves.
  /// - Returns: the copies, by the numbers of the items.
  func copyFiles(
    _ files: [(item: Int64, file: CryptoFile, name: String)]
  ) async throws(ChatError) -> [Int64: CryptoFile] {
    guard !files.isEmpty else { return [:] }
    let (folders, encrypts) = (folders, session.encryptsLocalFiles)
    // Files may be large; nothing else waits for them.
    let copying = Task.detached { () -> Result<[Int64: CryptoFile], ChatError> in
      var copies: [Int64: CryptoFile] = [:]
      for (item, file, name) in files {
        do throws(ChatError) {
          var random = SystemRandom()
          let encryption = encrypts ? LocalFile.Encryption(using: &random) : nil
          copies[item] = try folders.copy(file, as: name, encryption: encryption)
        } catch {
          if folders.files != nil { for copy in copies.values { folders.remove(copy.filePath) } }
          return .failure(error)
        }
      }
      return .success(copies)
    }
    return try await copying.value.get()
  }
}
