import ChatAPI
import ChatState
import SimpleXChat

/// The core of this process as the door of a state layer: typed values, no JSON.
public struct InProcessCore: ChatCore {
  /// The controller behind it.
  public let controller: ChatController

  /// The door to a controller.
  public init(_ controller: ChatController) { self.controller = controller }

  /// Opens the databases of a prefix for ``ChatModel/initChatAndMigrate(paths:encryptLocalFiles:onboarded:start:open:)``.
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
    switch await controller.send(command) {
    case .result(let response):
      let part: any ChatAPIResult =
        switch response {
        case .response0(let part): part
        case .response1(let part): part
        case .response2(let part): part
        case .response3(let part): part
        }
      guard let expected = part as? R ?? response as? R else { return .error(response.unexpected) }
      return .result(expected)
    case .error(let error): return .error(error)
    case .invalid(let type, let json): return .invalid(type: type, json: json)
    }
  }

  /// Waits for the next event; nil when the controller was closed.
  public func nextEvent() async -> APIResult<ChatEvent>? { await controller.eventQueue.next() }
}
