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

/// Copies of the files of items that are forwarded.
struct FileCopies: Sendable {
  /// The copies, by the numbers of the items; where there is no folder for files, the files themselves.
  var files: [Int64: CryptoFile] = [:]
  /// Removes those that no message got; nil where nothing was copied.
  var job: ChatJob?
  /// Where they are.
  var folders: LocalFolders
}

extension ChatController {
  /// Copies the files of items that are forwarded. ``finish(_:)`` has to follow.
  ///
  /// The places of the copies are stored before anything is copied: if the program ends before the copies have
  /// messages, the next start of the app removes them; not that of an extension, beside which the app may be copying.
  /// If it ends before that, it leaves empty files, which received ones replace.
  func copyFiles(
    _ files: [(item: Int64, file: CryptoFile, name: String)], of user: User
  ) async throws(ChatError) -> FileCopies {
    let (folders, encrypts) = (folders, session.encryptsLocalFiles)
    guard !files.isEmpty, folders.files != nil else {
      return FileCopies(files: Dictionary(files.map { ($0.item, $0.file) }) { first, _ in first }, folders: folders)
    }
    let places = try folders.createCopies(named: files.map(\.name))
    let job: ChatJob
    do throws(ChatError) {
      job = try turn { try $0.rows.addCopies(at: places, of: user) }
      runningJobs.insert(job.id)
    } catch {
      for place in places { folders.remove(place) }
      throw error
    }
    let planned = zip(files, places).map { (item: $0.item, file: $0.file, place: $1) }
    // Files may be large; nothing else waits for them.
    let copying = Task.detached { () -> Result<[Int64: CryptoFile], ChatError> in
      var copies: [Int64: CryptoFile] = [:]
      for (item, file, place) in planned {
        do throws(ChatError) {
          var random = SystemRandom()
          let encryption = encrypts ? LocalFile.Encryption(using: &random) : nil
          copies[item] = try folders.copy(file, to: place, encryption: encryption)
        } catch {
          return .failure(error)
        }
      }
      return .success(copies)
    }
    do throws(ChatError) {
      try store.synchronize()
      return FileCopies(files: try await copying.value.get(), job: job, folders: folders)
    } catch {
      _ = await copying.value
      finish(FileCopies(job: job, folders: folders))
      throw error
    }
  }

  /// Removes the copies that no message got: their items were deleted meanwhile, or what forwards them failed.
  func finish(_ copies: FileCopies) {
    guard let job = copies.job else { return }
    removeUnusedCopies(job, from: copies.folders)
    runningJobs.remove(job.id)
  }

  /// Removes copies that no message got, then the job: while there is the job nobody else gets their places. Where the
  /// database cannot be written now, the next start does it.
  func removeUnusedCopies(_ job: ChatJob, from folders: LocalFolders) {
    guard folders.files != nil else { return }
    _ = try? turn { turn in
      for place in try turn.rows.unusedCopies(job) where folders.removeOwned(place) != 0 {
        try turn.rows.addLeftover(place)
      }
      try turn.rows.removeJob(job.id)
    }
  }
}
