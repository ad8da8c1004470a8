import SMPProtocol
import Synchronization

/// What an operator may do who is connected to a control port; each includes the ones before.
public enum ControlRole: Int, Comparable, Sendable {
  case none, user, admin

  public static func < (left: ControlRole, right: ControlRole) -> Bool { left.rawValue < right.rawValue }
}

/// The passwords of a control port. Wrong ones are counted over all its connections.
public final class ControlAccess: Sendable {
  private let attempts = Mutex(PasswordAttempts())

  public init() {}

  /// Gives a connection without a role the one that a password is for.
  ///
  /// - Returns: The answer to whoever sent the password.
  public func authenticate(
    _ role: inout ControlRole, password: String, admin: BasicAuth?, user: BasicAuth?
  ) -> String {
    if role == .none {
      let now = steadySeconds()
      guard attempts.withLock({ $0.allowsAttempt(at: now) }) else {
        return "error: too many wrong passwords; one more can be tried every \(PasswordAttempts.interval) seconds"
      }
      let presented = BasicAuth(Array(password.utf8))
      // Both are compared, so that the time shows nothing.
      let isAdmin = admin?.matches(presented) == true
      let isUser = user?.matches(presented) == true
      role = isAdmin ? .admin : isUser ? .user : .none
      if role == .none { attempts.withLock { $0.failed(at: now) } }
    }
    return "Current role is \(role)"
  }
}
