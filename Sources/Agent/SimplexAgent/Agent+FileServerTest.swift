import AgentCore
import SMPProtocol
import SimplexCrypto
import XFTPClient
import XFTPProtocol

/// Why a file relay failed its test.
public struct FileServerTestFailure: Hashable, Sendable {
  /// What was tried.
  public enum Step: Hashable, Sendable, CaseIterable {
    case connect, createFile, uploadFile, downloadFile, compareFile, deleteFile
  }

  /// The step that failed.
  public var step: Step
  /// Why.
  public var error: AgentError
}

extension Agent {
  /// Tests whether a file relay can be used: creates, uploads, downloads and deletes a chunk of 64 KB over a connection
  /// of its own. Nil where everything worked.
  public nonisolated(nonsending) func testFileServer(
    _ user: UserID, _ address: ServerWithAuth<XFTPScheme>
  ) async throws(AgentError) -> FileServerTestFailure? {
    let network = try await fileNetwork()
    let server = address.server
    let key = FileSessionKey(server: server, user: user, entity: nil)
    let relay: FileRelayConnection
    do throws(FileClientError) {
      relay = try await FileRelayConnection.connect(to: server, network.configuration(of: key))
    } catch {
      return FileServerTestFailure(step: .connect, error: AgentError(error, at: server))
    }
    defer { relay.close() }
    var step = FileServerTestFailure.Step.createFile
    do throws(FileClientError) {
      try await Self.test(relay, password: address.basicAuth) { step = $0 }
      return nil
    } catch {
      if case .received = error { step = .compareFile }
      return FileServerTestFailure(step: step, error: AgentError(error, at: server))
    }
  }

  /// How file relays are reached now.
  private func fileNetwork() throws(AgentError) -> FileNetwork {
    try withEngine { (_, _) throws(AgentError) in }
    return FileNetwork(options)
  }

  private static nonisolated(nonsending) func test(
    _ relay: FileRelayConnection, password: BasicAuth?, step: (FileServerTestFailure.Step) -> Void
  ) async throws(FileClientError) {
    var random = SystemRandom()
    let content = random.bytes(Int(ChunkSizes.smallest))
    let digest = HashFunction.sha256.digest(of: content)
    let sender = AuthorizationPrivateKey.ed25519(Ed25519.PrivateKey(using: &random))
    let recipient = AuthorizationPrivateKey.ed25519(Ed25519.PrivateKey(using: &random))
    let request = NewChunkRequest(
      chunk: ChunkInfo(senderKey: sender.publicKey, size: ChunkSizes.smallest, digest: digest),
      recipientKeys: [recipient.publicKey], basicAuth: password)
    let ids = try await relay.create(request, key: sender)
    step(.uploadFile)
    var left = content[...]
    try await relay.upload(ChunkSizes.smallest, to: ids.sender, key: sender) { count in
      defer { left = left.dropFirst(count) }
      return Array(left.prefix(count))
    }
    step(.downloadFile)
    guard let id = ids.recipients.first else { throw .unexpectedResponse("FNEW") }
    try await relay.download(ChunkSizes.smallest, digest: digest, of: id, key: recipient) { _ in }
    step(.deleteFile)
    try await relay.delete(ids.sender, key: sender)
  }
}
