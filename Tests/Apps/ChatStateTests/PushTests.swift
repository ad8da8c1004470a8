import ChatAPI
import Synchronization
import Testing

@testable import ChatState

/// A core that answers commands about tokens, and keeps them.
private final class TokenCore: ChatCore {
  let commands = Mutex<[String]>([])
  let status = Mutex(NtfTknStatus.registered)

  func send<R: ChatAPIResult>(_ command: ChatCommand) async -> APIResult<R> {
    commands.withLock { $0.append(command.cmdType) }
    let response: ChatResponse2
    switch command {
    case .apiRegisterToken: response = .ntfTokenStatus(status: status.withLock { $0 })
    case .apiVerifyToken, .apiDeleteToken: response = .cmdOk()
    default: return .error(.error(errorType: .chatNotStarted))
    }
    return (response as? R).map { .result($0) } ?? .error(.error(errorType: .chatNotStarted))
  }

  func post(_ command: ChatCommand, as number: UInt64) async {}
  func nextOutput() async -> ChatOutput? { nil }
  func closeStore() async throws(ChatError) {}
  func reopenStore() async throws(ChatError) {}
}

@MainActor @Suite("The token of the device")
struct PushTests {
  private let core = TokenCore()
  private let model = ChatModel()
  private let token = DeviceToken(pushProvider: .apns_prod, token: "0a1b")

  private var commands: [String] { core.commands.withLock { $0 } }

  @Test func `is registered once in a process, and verified`() async throws {
    model.core = core
    try await model.registerToken(token)
    #expect(commands == [] && model.deviceToken == token)
    try await model.setNotificationMode(.instant)
    #expect(model.tokenRegistered && model.savedToken == token && model.tokenStatus == .registered)
    try await model.registerToken(token)
    try await model.verifyToken(nonce: "AQID", code: "BAUG")
    #expect(model.tokenStatus == .active && model.notificationMode == .instant)
    #expect(commands == ["apiRegisterToken", "apiVerifyToken"])
    // Another token of the device is registered.
    try await model.registerToken(DeviceToken(pushProvider: .apns_prod, token: "2c3d"))
    #expect(commands.last == "apiRegisterToken" && commands.count == 3)
  }

  @Test func `that is refused has to be registered again`() async throws {
    model.core = core
    core.status.withLock { $0 = .invalidBad }
    model.deviceToken = token
    try await model.setNotificationMode(.instant)
    #expect(!model.tokenRegistered && model.reRegisterTknStatus == .invalidBad)
    core.status.withLock { $0 = .registered }
    try await model.registerToken(token)
    #expect(model.tokenRegistered && model.reRegisterTknStatus == nil)
  }

  @Test func `is deleted when pushes are switched off`() async throws {
    model.core = core
    model.deviceToken = token
    try await model.setNotificationMode(.periodic)
    try await model.setNotificationMode(.off)
    #expect(commands.last == "apiDeleteToken")
    #expect(model.notificationMode == .off && model.savedToken == nil && model.deviceToken == token)
  }
}
