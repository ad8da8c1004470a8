import ChatAPI
import ChatState
import SimpleXChat

/// The core of this process for a state layer: typed values, no JSON.
public struct InProcessCore: ChatCore {
  /// The controller behind it.
  public let controller: ChatController

  /// The core of a controller.
  public init(_ controller: ChatController) { self.controller = controller }

  /// Opens the databases of a prefix for
  /// `ChatModel.initChatAndMigrate(paths:encryptLocalFiles:onboarded:start:open:)`.
  public static func open(_ options: ChatOptions) async -> OpenedCore {
    let isEncrypted = !options.key.isEmpty
    do {
      let controller = try await ChatController.open(options)
      return OpenedCore(status: .ok, isEncrypted: isEncrypted, core: InProcessCore(controller))
    } catch {
      return OpenedCore(status: error.result, isEncrypted: isEncrypted, core: nil)
    }
  }

  /// Sends a command. A response of another part than the caller expects is an error.
  public func send<R: ChatAPIResult>(_ command: ChatCommand) async -> APIResult<R> {
    await controller.send(command).narrowed()
  }

  /// Sends a command whose response takes its place among the events.
  public func post(_ command: ChatCommand, as number: UInt64) async { await controller.post(command, as: number) }

  /// Waits for the next event or response; nil when the controller was closed.
  public func nextOutput() async -> ChatOutput? { await controller.eventQueue.nextOutput() }

  /// Closes the databases.
  public func closeStore() async throws(ChatError) { try await controller.close() }

  /// Opens the databases again; the passphrase must have been kept (`ChatOptions.keepsKey`).
  public func reopenStore() async throws(ChatError) { try await controller.reopen() }
}
