import ChatAPI
import ChatLogic
import ChatStore
import FileAccess
import RemoteControl
import RemoteControlProtocol
import SimplexCrypto
import SimplexTransport
import ZipArchive

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// What a mobile device that this one controls is asked for: commands and files.

extension ChatController {
  /// Carries out a command with the profile of a mobile device. `/f` and `/img` upload their file first.
  ///
  /// A command about this device fails with `localCommand`, and without a session with `missing`.
  /// - Parameters:
  ///   - id: the mobile device, a database id.
  ///   - retryNumber: how often the app has tried this command before.
  public func sendText(
    _ text: String, toRemoteHost id: Int64, retryNumber: Int = 0
  ) async -> APIResult<ChatResponse> {
    let key = RHKey.id(remoteHostId: id)
    do throws(ChatError) {
      let command = try ChatCommand(parsing: text)
      guard command.remoteUse != .local else { throw .errorRemoteHost(rhKey: key, remoteHostError: .localCommand) }
      let passed = try await uploaded(command, to: id)?.cmdString ?? text
      let reply = try await request(.send(command: passed, retryNumber: retryNumber), of: id)
      // A long response counts until it was read.
      return try withExtendedLifetime(reply) { () throws(ChatError) in
        guard case .chatResponse(let result) = reply.response else { throw Self.unexpected(reply.response, of: key) }
        return decoded(result)
      }
    } catch {
      return .error(error)
    }
  }

  /// The command with a file that is stored on the mobile device; nil for other commands.
  private func uploaded(_ command: ChatCommand, to id: Int64) async throws(ChatError) -> ChatCommand? {
    switch command {
    case .terminal(.sendFile(let chat, let file)):
      .terminal(.sendFile(chat: chat, file: try await upload(file, to: id)))
    case .terminal(.sendImage(let chat, let file)):
      .terminal(.sendImage(chat: chat, file: try await upload(file, to: id)))
    default: nil
    }
  }

  private func upload(_ file: CryptoFile, to id: Int64) async throws(ChatError) -> CryptoFile {
    guard file.cryptoArgs == nil else {
      let stored = try await store(folders.path(file.filePath), on: id, named: FileRules.name(ofPath: file.filePath))
      return CryptoFile(filePath: stored, cryptoArgs: file.cryptoArgs)
    }
    return try await storeOnMobile(id, path: file.filePath, encrypts: nil)
  }

  // MARK: Requests

  private func request(
    _ command: RemoteCommand, filePath: String? = nil, of id: Int64
  ) async throws(ChatError) -> RemoteAnswer {
    let key = RHKey.id(remoteHostId: id)
    guard let session = remote.mobiles.first(where: { $0.key == key }) else {
      throw .errorRemoteHost(rhKey: key, remoteHostError: .missing)
    }
    do throws(RemoteRequestError) {
      let reply = try await session.driver.send(command, filePath: filePath)
      return reply
    } catch {
      switch error {
      case .session(let error): throw ChatError(controllerSession: error, of: key)
      case .frame(let error), .host(let error):
        throw .errorRemoteHost(rhKey: key, remoteHostError: .protocolError(RemoteProtocolError(error)))
      }
    }
  }

  private static func unexpected(_ response: RemoteResponse, of key: RHKey) -> ChatError {
    let error = RemoteProtocolError.unexpectedResponse(response: String(response.jsonText().prefix(1_000)))
    return .errorRemoteHost(rhKey: key, remoteHostError: .protocolError(error))
  }

  /// A result of the mobile device, in whichever spelling of sums it has.
  nonisolated func decoded<Value>(_ result: RemoteResult) -> APIResult<Value> {
    switch result {
    case .result(let json): decodeAPIResult(Array("{\"result\":\(json)}".utf8))
    case .error(let json): decodeAPIResult(Array("{\"error\":\(json)}".utf8))
    }
  }

  // MARK: Files

  /// Stores a file on a mobile device, and moves or copies what was sent to the folder of its files on this device.
  /// - Parameter encrypts: whether to encrypt it before; nil to do what the mobile device does with its files.
  /// - Returns: the file on the mobile device.
  func storeOnMobile(_ id: Int64, path: String, encrypts: Bool?) async throws(ChatError) -> CryptoFile {
    let key = RHKey.id(remoteHostId: id)
    let stored = try store.read { try $0.remoteHost(id) }
    guard let session = remote.mobiles.first(where: { $0.key == key }),
      let info = await session.driver.hostInfo
    else { throw .errorRemoteHost(rhKey: key, remoteHostError: .missing) }
    let source = CryptoFile(filePath: path, cryptoArgs: nil)
    _ = try folders.contentSize(of: source)
    let name = FileRules.name(ofPath: path)
    guard encrypts ?? info.encryptsFiles else {
      let place = try await store(folders.path(path), on: id, named: name)
      await keep(folders.path(path), as: place, of: stored, moves: false)
      return CryptoFile(filePath: place, cryptoArgs: nil)
    }
    let args = CryptoFileArgs.random()
    let temporary = try makeFolder(self.session.tempFolder ?? options.transfersFolder)
    let draft = try LocalFolders(files: temporary, temporary: nil).createReceived(name) { _ in false }
    let draftPath = temporary + "/" + draft
    defer { _ = unlink(draftPath) }
    let encryption = try LocalFolders().localFile(CryptoFile(filePath: draftPath, cryptoArgs: args)).encryption
    let original = CryptoFile(filePath: folders.path(path), cryptoArgs: nil)
    try await BlockingWork.files.run { () throws(ChatError) in
      _ = try LocalFolders(files: nil, temporary: nil).copy(original, to: draftPath, encryption: encryption)
    }
    let place = try await store(draftPath, on: id, named: name)
    await keep(draftPath, as: place, of: stored, moves: true)
    return CryptoFile(filePath: place, cryptoArgs: args)
  }

  /// Sends a file as it is, and returns its path on the mobile device.
  private func store(_ path: String, on id: Int64, named name: String) async throws(ChatError) -> String {
    let key = RHKey.id(remoteHostId: id)
    let summary = try await Self.summary(ofFile: path, named: name)
    let reply = try await request(
      .storeFile(name: name, size: summary.size, digest: summary.digest), filePath: path, of: id)
    guard case .fileStored(let place) = reply.response else { throw Self.unexpected(reply.response, of: key) }
    return place
  }

  /// Fetches a file of a mobile device into the folder of its files on this device.
  func fetchFromMobile(_ id: Int64, _ file: RemoteFile) async throws(ChatError) {
    let key = RHKey.id(remoteHostId: id)
    let stored = try store.read { try $0.remoteHost(id) }
    let encryption = file.fileSource.cryptoArgs.map {
      RemoteFileReference.Encryption(fileKey: $0.fileKey, fileNonce: $0.fileNonce)
    }
    let reference = RemoteFileReference(
      userID: file.userId, fileID: file.fileId, isSent: file.sent, path: file.fileSource.filePath,
      encryption: encryption)
    let reply = try await request(.getFile(reference), of: id)
    guard case .file = reply.response, let received = reply.filePath else {
      throw Self.unexpected(reply.response, of: key)
    }
    defer { _ = unlink(received) }
    await keep(received, as: file.fileSource.filePath, of: stored, moves: true)
  }

  /// The folder of a mobile device's files on this device; nil where there is no folder for those of mobile devices.
  private func filesFolder(of host: StoredRemoteHost) -> String? {
    session.remoteHostsFolder.map { "\($0)/\(host.folder)/simplex_v1_files" }
  }

  /// Keeps a file in the folder of a mobile device's files, under the name that it has there; a failure is reported.
  private func keep(_ path: String, as place: String, of host: StoredRemoteHost, moves: Bool) async {
    guard let folder = filesFolder(of: host) else { return }
    do throws(ChatError) {
      // The name is one of the mobile device.
      let target = "\(try makeFolder(folder))/\(FileRules.receivedName(place))"
      do throws(FileAccess.FileError) {
        try await BlockingWork.files.run { () throws(FileAccess.FileError) in
          if moves, rename(path, target) == 0 { return }
          _ = unlink(target)
          try WholeFile.copy(path, to: target)
        }
      } catch {
        throw .error(errorType: .fileWrite(filePath: target, message: String(cString: strerror(error.code))))
      }
    } catch {
      emit(error)
    }
  }

  /// Removes the folder of a mobile device that was deleted.
  func removeFolder(of host: StoredRemoteHost) {
    guard let hosts = session.remoteHostsFolder, let files = filesFolder(of: host) else { return }
    for name in LocalFiles.names(in: files) { LocalFiles.removeFile("\(files)/\(name)") }
    _ = rmdir(files)
    _ = rmdir("\(hosts)/\(host.folder)")
  }
}
