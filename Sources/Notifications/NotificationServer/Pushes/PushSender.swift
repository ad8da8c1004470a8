import NotificationProtocol
import NotificationServerCore
import SimplexCrypto

/// A push for a service.
public struct OutgoingPush: Sendable {
  /// The device.
  public var device: PushDevice
  /// The content.
  public var content: PushContent
  /// The key of the boxes.
  public var key: BoxKey

  public init(device: PushDevice, content: PushContent, key: BoxKey) {
    self.device = device
    self.content = content
    self.key = key
  }
}

/// Sends pushes to a service.
public protocol PushSender: Sendable {
  /// Sends a push, and returns how the service answered. Called concurrently.
  func send(_ push: OutgoingPush) async -> PushOutcome
  /// Closes its connections.
  func close() async
}

extension PushSender {
  /// A no-op.
  public func close() async {}
}

/// The service of devices that have none: clients test servers with it.
public struct NullSender: PushSender {
  public init() {}

  /// Sends nothing.
  public func send(_ push: OutgoingPush) async -> PushOutcome { .delivered }
}

/// A service that is not set up.
public struct UnavailableSender: PushSender {
  private let reason: String

  /// - Parameter reason: what the operator has to do, a phrase.
  public init(_ reason: String) { self.reason = reason }

  /// Fails until the server is started with other settings; what is stored is sent then.
  public func send(_ push: OutgoingPush) async -> PushOutcome { .serviceUnavailable(reason) }
}
