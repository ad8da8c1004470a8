import AgentCore
import AgentEngine
import SMPProtocol
import SimplexCrypto
import XFTPProtocol

// Files. What these commands ask for is durable when they return; events say what comes of it. A command with an
// identifier that is known does nothing.

extension Agent {
  /// Replaces the file relays of a user.
  public nonisolated(nonsending) func setFileServers(
    _ servers: [AgentFileServer], for user: UserID
  ) async throws(AgentError) {
    throw .prohibited("files")
  }

  /// Starts to work on files, and resumes what was left, with temporary files in a folder of its own kind; it is
  /// created if there is none.
  public nonisolated(nonsending) func startFiles(in folder: String) async throws(AgentError) {
    throw .prohibited("files")
  }

  /// Ends the work on files; what is not done stays stored.
  public nonisolated(nonsending) func stopFiles() async {}

  /// Sends a file: encrypts it, and uploads it to the user's relays. `fileSent` or `fileSendFailed` follows.
  /// - Parameters:
  ///   - source: the file, which has to stay until one of the events.
  ///   - name: the name that recipients see.
  ///   - recipients: the number of descriptions needed; a power of two and at least 4 are made.
  public nonisolated(nonsending) func sendFile(
    _ id: AgentFileID, user: UserID, source: LocalFile, name: String, recipients: Int
  ) async throws(AgentError) {
    throw .prohibited("files")
  }

  /// Sends a recipient's description of a file as a file of one chunk: whoever has that one's description gets the
  /// file. As ``sendFile(_:user:source:name:recipients:)`` otherwise.
  public nonisolated(nonsending) func sendDescription(
    _ id: AgentFileID, user: UserID, _ description: FileDescription, recipients: Int
  ) async throws(AgentError) {
    throw .prohibited("files")
  }

  /// Receives a file. `fileReceived` or `fileReceiveFailed` follows.
  /// - Parameters:
  ///   - destination: the file to write. It is complete when it has this name; a file that had the name is replaced.
  ///   - approvedRelays: whether relays that are not the user's may learn the address of this device.
  public nonisolated(nonsending) func receiveFile(
    _ id: AgentFileID, user: UserID, _ description: FileDescription, to destination: LocalFile, approvedRelays: Bool
  ) async throws(AgentError) {
    throw .prohibited("files")
  }

  /// Stops receiving files and forgets them. Their destinations stay.
  public nonisolated(nonsending) func deleteReceivedFiles(_ ids: [AgentFileID]) async throws(AgentError) {
    throw .prohibited("files")
  }

  /// Stops sending files and forgets them. What is at relays stays there until it expires.
  public nonisolated(nonsending) func deleteSentFiles(_ ids: [AgentFileID]) async throws(AgentError) {
    throw .prohibited("files")
  }

  /// Deletes files as ``deleteSentFiles(_:)`` does, and what is at relays too, with the senders' descriptions; it is
  /// tried until it succeeds, or the relays have forgotten the files.
  public nonisolated(nonsending) func deleteSentFilesAtRelays(
    _ files: [(id: AgentFileID, user: UserID, description: FileDescription)]
  ) async throws(AgentError) {
    throw .prohibited("files")
  }
}
