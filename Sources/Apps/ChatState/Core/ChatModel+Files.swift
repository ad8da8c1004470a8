import ChatAPI
import SimplexJSON

/// How files are received.
public struct FileReceiving: Hashable, Sendable {
  /// Whether images, voice messages and small videos are received without asking.
  public var acceptsMedia = true
  /// Whether the user is asked before a server that is not theirs sees their IP address.
  public var asksToApproveRelays = true
  /// Whether files are encrypted on this device.
  public var encryptsFiles = true

  /// The usual settings.
  public init() {}
}

extension Preferences {
  /// How files are received, of the settings that extensions share.
  public var fileReceiving: FileReceiving {
    var settings = FileReceiving()
    settings.acceptsMedia = self[GroupDefaults.GROUP_DEFAULT_PRIVACY_ACCEPT_IMAGES]
    settings.asksToApproveRelays = self[GroupDefaults.GROUP_DEFAULT_PRIVACY_ASK_TO_APPROVE_RELAYS]
    settings.encryptsFiles = self[GroupDefaults.GROUP_DEFAULT_PRIVACY_ENCRYPT_LOCAL_FILES]
    return settings
  }
}

// Files: the state follows from responses as it does from events.
extension ChatModel {
  /// The files of the current user that are being sent or received, and those outside of chats that have been, by id.
  public var fileTransfers: [FileTransferState] {
    observe(.transfers)
    return state.transfers.files.values.filter { $0.userId == state.session.currentUser?.userId }
      .sorted { $0.id < $1.id }
  }

  /// A file of any user that is being sent or received; nil where it is not.
  public func fileTransfer(_ fileId: Int64) -> FileTransferState? {
    observe(.transfers)
    return state.transfers.files[fileId]
  }

  /// Receives files as these preferences say from now on: the group's, which extensions share.
  public func receiveFiles(by preferences: Preferences) { fileReceiving = { preferences.fileReceiving } }

  /// Receives a file of a message.
  ///
  /// - Parameters:
  ///   - userApprovedRelays: Whether the user agreed that the file's servers see their IP address.
  ///   - path: The file or folder to receive into; nil for the folder of files.
  /// - Returns: Whether it is received; false where the sender has cancelled it.
  /// - Throws: `fileNotApproved` with the servers that the user has not approved, or another error of the core.
  @discardableResult
  public func receiveFile(
    _ fileId: Int64, userApprovedRelays: Bool = false, path: String? = nil
  ) async throws(ChatError) -> Bool {
    let settings = fileReceiving?() ?? FileReceiving()
    return try await request(
      .receiveFile(
        fileId: fileId, userApprovedRelays: userApprovedRelays || !settings.asksToApproveRelays,
        encrypted: settings.encryptsFiles, inline: nil, filePath: path)
    ) { (response: ChatResponse2) throws(ChatError) in
      switch response {
      case .rcvFileAccepted(let user, let item):
        self.processReceivedMsg(.rcvFileAccepted(user: user, chatItem: item))
        return true
      case .rcvFileAcceptedSndCancelled(let user, let file):
        self.processReceivedMsg(.rcvFileAcceptedSndCancelled(user: user, rcvFileTransfer: file))
        return false
      default: throw response.unexpected
      }
    }
  }

  /// Receives a file of a new message, if the user wants that. What cannot be received so waits to be asked for.
  func receiveAutomatically(_ fileId: Int64) {
    guard core != nil, fileReceiving?().acceptsMedia == true else { return }
    Task { @MainActor [weak self] in
      do throws(ChatError) {
        try await self?.receiveFile(fileId)
      } catch {
        switch error {
        case .error(.fileNotApproved), .error(.fileCancelled), .error(.fileAlreadyReceiving): break
        default: self?.onEffect(.failed(error))
        }
      }
    }
  }

  /// Cancels sending or receiving a file.
  public func cancelFile(_ fileId: Int64) async throws(ChatError) {
    try await request(.cancelFile(fileId: fileId)) { (response: ChatResponse2) throws(ChatError) in
      let (owner, item): (User, AChatItem?)
      switch response {
      case .rcvFileCancelled(let user, let changed, _), .sndFileCancelled(let user, let changed, _, _):
        (owner, item) = (user, changed)
      default: throw response.unexpected
      }
      let now = self.now()
      for effect in self.update({ $0.cancelledFile(fileId, item, of: owner, at: now) }) { self.onEffect(effect) }
    }
  }

  // MARK: Outside of chats

  /// Sends a file to nobody in particular: who has one of the links of the result can receive it.
  ///
  /// - Returns: The id of the file; ``fileTransfer(_:)`` says how far it came, and at the end the links.
  public func uploadFile(_ file: CryptoFile) async throws(ChatError) -> Int64 {
    let userId = try requireUser()
    return try await request(.apiUploadStandaloneFile(userId: userId, file: file)) {
      (response: ChatResponse2) throws(ChatError) in
      guard case .sndStandaloneFileCreated(let user, let file) = response else { throw response.unexpected }
      self.update { state in
        state.transfers.begin(file, nil, of: user)
        state.changes.insert(.transfers)
      }
      return file.fileId
    }
  }

  /// Receives the file behind a link.
  ///
  /// - Parameter file: Where it is put, and with which key it is encrypted there.
  /// - Returns: The id of the file; ``fileTransfer(_:)`` says how far it came.
  public func downloadFile(_ link: String, to file: CryptoFile) async throws(ChatError) -> Int64 {
    let userId = try requireUser()
    return try await request(.apiDownloadStandaloneFile(userId: userId, url: link, file: file)) {
      (response: ChatResponse2) throws(ChatError) in
      guard case .rcvStandaloneFileCreated(let user, let file) = response else { throw response.unexpected }
      self.update { state in
        state.transfers.begin(file, nil, of: user)
        state.changes.insert(.transfers)
      }
      return file.fileId
    }
  }

  /// What the maker of a link to a file says of it; nil where it says nothing.
  public func fileInfo(of link: String) async throws(ChatError) -> JSONValue? {
    let response = try await requireCore().response(.apiStandaloneFileInfo(url: link), as: ChatResponse2.self)
    guard case .standaloneFileInfo(let info) = response else { throw response.unexpected }
    return info
  }

  /// Forgets a file outside of chats whose transfer has ended.
  public func forgetFile(_ fileId: Int64) { update { $0.forgetFile(fileId) } }

  private func requireUser() throws(ChatError) -> Int64 {
    guard let user = state.session.currentUser else { throw .error(errorType: .noActiveUser) }
    return user.userId
  }
}
