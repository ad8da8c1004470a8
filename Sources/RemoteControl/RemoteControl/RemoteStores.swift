import RemoteControlCore
import RemoteControlProtocol

/// The host's records of controllers, which the chat core keeps.
public protocol HostPairingStore: Sendable {
  /// All records, complete or not.
  func hostPairings() async throws -> [HostPairing]
  /// Inserts or replaces the record of a controller, identified by ``HostPairing/controller``; durable when it returns.
  func store(_ pairing: HostPairing) async throws
}

/// The controller's records of hosts, which the chat core keeps.
public protocol ControllerPairingStore: Sendable {
  /// Inserts or replaces the record of a host, identified by ``ControllerPairing/fingerprint``; durable when it
  /// returns.
  func store(_ pairing: ControllerPairing) async throws
}

/// Executes the commands of the controller on the host. Commands of parallel requests are executed concurrently.
public protocol RemoteRequestHandler: Sendable {
  /// Executes a command. A ``RemoteCommand/recv(microseconds:)`` returns within its time; its task is cancelled when
  /// the controller is gone, and an answer is lost then.
  /// - Parameter file: the path of the received file of ``RemoteCommand/storeFile(name:size:digest:)``, whose size,
  ///   digest and tag are right; nil with other commands. The handler moves it elsewhere: it is removed afterwards. The
  ///   name in the command is unchecked.
  func reply(to command: RemoteCommand, file: String?) async -> RemoteReply
}

/// The answer to a command of the controller.
public struct RemoteReply: Sendable {
  /// The response.
  public var response: RemoteResponse
  /// The path of the file that follows ``RemoteResponse/file(size:digest:)``, with that size and digest; nil for none.
  public var filePath: String?

  /// A response, with or without a file.
  public init(_ response: RemoteResponse, filePath: String? = nil) {
    self.response = response
    self.filePath = filePath
  }
}

/// Why a request to the host failed.
public enum RemoteRequestError: Error, Hashable, Sendable {
  /// There is no complete session.
  case session(RemoteSessionError)
  /// The request could not be sent, or the response is not valid.
  case frame(FrameError)
  /// The host answered with this error.
  case host(FrameError)
}
