import ChatAPI

/// The interface to a core: the one in this process, one behind the C API, or one of a test.
///
/// Events and the responses to posted commands come in one order, in which each follows from what came before it. An
/// implementation without that order, such as one of the C API with its two functions, posts as it sends: a message
/// that comes while a chat is loaded can then be missing from what is shown until the next load.
public protocol ChatCore: Sendable {
  /// Sends a command and waits for its result.
  func send<R: ChatAPIResult>(_ command: ChatCommand) async -> APIResult<R>

  /// Sends a command whose response takes its place among the events, by the number given.
  func post(_ command: ChatCommand, as number: UInt64) async

  /// Waits for the next event, or response to a posted command; nil when there will be none any more.
  func nextOutput() async -> ChatOutput?

  /// Closes the databases, so that another process can open them. Commands fail until ``reopenStore()``; events that
  /// were reported before can still be read.
  func closeStore() async throws(ChatError)

  /// Opens the databases again after ``closeStore()``.
  func reopenStore() async throws(ChatError)
}

extension ChatCore {
  /// Sends a command and waits for its response.
  ///
  /// - Throws: The core's error, or what says that the response could not be read.
  public func response<R: ChatAPIResult>(_ command: ChatCommand, as type: R.Type = R.self) async throws(ChatError) -> R
  {
    let result: APIResult<R> = await send(command)
    guard case .result(let response) = result else { throw result.unexpected }
    return response
  }
}

/// The result of opening a database.
public struct OpenedCore: Sendable {
  /// Whether it worked, and why not.
  public var status: DBMigrationResult
  /// Whether the database is encrypted.
  public var isEncrypted: Bool
  /// The core, if it worked.
  public var core: (any ChatCore)?

  /// A result.
  public init(status: DBMigrationResult, isEncrypted: Bool, core: (any ChatCore)?) {
    self.status = status
    self.isEncrypted = isEncrypted
    self.core = core
  }
}

/// Where files of the app are.
public struct AppFilePaths: Hashable, Sendable {
  /// Files of messages.
  public var filesFolder: String
  /// Files in the making.
  public var tempFolder: String
  /// Wallpapers and the like.
  public var assetsFolder: String

  /// Folders, as absolute paths.
  public init(filesFolder: String, tempFolder: String, assetsFolder: String) {
    self.filesFolder = filesFolder
    self.tempFolder = tempFolder
    self.assetsFolder = assetsFolder
  }
}
