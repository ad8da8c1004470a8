import AgentCore
import AgentEngine
import AgentStore
import SMPProtocol
import SimplexCrypto
import WireCodec
import XFTPProtocol

// Files. What these commands ask for is durable when they return; events say what comes of it. A command with an
// identifier that is known does nothing.

extension Agent {
  /// Replaces the file relays of a user.
  public nonisolated(nonsending) func setFileServers(
    _ servers: [AgentFileServer], for user: UserID
  ) async throws(AgentError) {
    try await change { (engine, now) throws(AgentError) in try engine.setFileServers(servers, for: user) }
  }

  /// Starts to work on files, and resumes what was left, with temporary files in a folder of its own kind; it is
  /// created if there is none. Either folder may be elsewhere at each start.
  /// - Parameters:
  ///   - files: as for ``setFilesFolder(_:)``.
  ///   - onlySends: whether receiving files and deleting them at relays waits for another start, as in an extension of
  ///     an application that lives only for as long as something is sent.
  ///   - earlier: what ``closeAtOnce()`` of an agent with the same folder returned. The work begins when it has ended,
  ///     which is not waited for.
  public nonisolated(nonsending) func startFiles(
    in folder: String, files: String? = nil, onlySends: Bool = false, after earlier: Task<Void, Never>? = nil
  ) async throws(AgentError) {
    await stopFiles()
    let transfers = try await makeTransfers(
      in: TransferFolders(workFolder: folder, filesFolder: files), onlySends: onlySends)
    try await transfers.start(after: earlier)
  }

  /// Changes where files to send and to receive are whose paths are relative; nil for the folder of the process. No-op
  /// before ``startFiles(in:files:onlySends:after:)``.
  public nonisolated(nonsending) func setFilesFolder(_ path: String?) async { await transfers?.setFilesFolder(path) }

  /// Ends the work on files; what is not done stays stored.
  public nonisolated(nonsending) func stopFiles() async { await takeTransfers()?.end() }

  /// Sends a file: encrypts it, and uploads it to the user's relays. `fileSent` or `fileSendFailed` follows.
  /// - Parameters:
  ///   - source: the file, which has to stay until one of the events.
  ///   - name: the name that recipients see.
  ///   - recipients: the number of descriptions needed; a power of two and at least 4 are made.
  public nonisolated(nonsending) func sendFile(
    _ id: AgentFileID, user: UserID, source: LocalFile, name: String, recipients: Int
  ) async throws(AgentError) {
    try await run { (engine, now) throws(AgentError) in
      try engine.sendFile(id, user: user, .file(source), name: name, recipients: recipients, now: now)
    }
    await transfers?.look(into: .sealing)
  }

  /// Sends a recipient's description of a file as a file of one chunk: whoever has that one's description gets the
  /// file. As ``sendFile(_:user:source:name:recipients:)`` otherwise.
  public nonisolated(nonsending) func sendDescription(
    _ id: AgentFileID, user: UserID, _ description: FileDescription, recipients: Int
  ) async throws(AgentError) {
    let text: [UInt8]
    do throws(WireError) { text = try FileDescription.codec.encode(description) } catch {
      throw .prohibited("file description: \(error)")
    }
    guard description.party == .recipient, description.redirect == nil else {
      throw .prohibited("file description: it is not a recipient's, or a redirect itself")
    }
    try await run { (engine, now) throws(AgentError) in
      try engine.sendFile(
        id, user: user, .description(text), name: "", recipients: recipients,
        redirect: FileRedirect(size: description.size, digest: description.digest), now: now)
    }
    await transfers?.look(into: .sealing)
  }

  /// Receives a file. `fileReceived` or `fileReceiveFailed` follows.
  /// - Parameters:
  ///   - destination: the file to write. It is complete when it has this name; a file that had the name is replaced.
  ///   - approvedRelays: whether relays that are not the user's may learn the address of this device.
  public nonisolated(nonsending) func receiveFile(
    _ id: AgentFileID, user: UserID, _ description: FileDescription, to destination: LocalFile, approvedRelays: Bool
  ) async throws(AgentError) {
    try await run { (engine, now) throws(AgentError) in
      try engine.receiveFile(
        id, user: user, description, to: destination, isApproved: approvedRelays, now: now)
    }
    await transfers?.lookEverywhere()
  }

  /// Stops receiving files and forgets them; soon their temporary files are removed. None of them is written to its
  /// destination when this has returned; a destination that exists stays.
  public nonisolated(nonsending) func deleteReceivedFiles(_ ids: [AgentFileID]) async throws(AgentError) {
    let files = try await change { (engine, now) throws(AgentError) in try engine.deleteReceivedFiles(ids, now: now) }
    await transfers?.forget(files, .received)
  }

  /// Stops sending files and forgets them; soon their temporary files are removed. What relays have of those that were
  /// not sent yet is deleted there; what was sent stays until it expires.
  public nonisolated(nonsending) func deleteSentFiles(_ ids: [AgentFileID]) async throws(AgentError) {
    let files = try await change { (engine, now) throws(AgentError) in try engine.deleteSentFiles(ids, now: now) }
    await transfers?.forget(files, .sent)
    await transfers?.lookEverywhere()
  }

  /// Deletes files as ``deleteSentFiles(_:)`` does, and what is at relays too, with the senders' descriptions; it is
  /// tried until it succeeds, or the relays have forgotten the files.
  public nonisolated(nonsending) func deleteSentFilesAtRelays(
    _ files: [(id: AgentFileID, user: UserID, description: FileDescription)]
  ) async throws(AgentError) {
    let deleted = try await change { (engine, now) throws(AgentError) in
      try engine.deleteSentFilesAtRelays(files, now: now)
    }
    await transfers?.forget(deleted, .sent)
    await transfers?.lookEverywhere()
  }
}
