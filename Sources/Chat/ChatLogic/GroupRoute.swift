import ChatAPI
import ChatProtocol

/// The way in which events reach a member of a group.
public enum GroupRoute: Hashable, Sendable {
  /// By the member's connection; in batches, or one by one.
  case send(isBatched: Bool)
  /// When the member's connection is ready; if it is held, when all others are introduced to the member.
  case wait(isHeld: Bool)
  /// A member who is connected with both forwards them.
  case forwarded
  /// Not at all.
  case none
}

/// The properties of events on which their way to a member depends.
public struct GroupTraffic: Hashable, Sendable {
  /// Whether the connection with the member is deleted after them.
  public var isLast: Bool
  /// Whether members who forward pass all of them on.
  public var isForwarded: Bool
  /// Whether some of them are messages of others that the user forwards.
  public var hasForwards: Bool

  /// Events that go to a member.
  public init(isLast: Bool = false, isForwarded: Bool = false, hasForwards: Bool = false) {
    self.isLast = isLast
    self.isForwarded = isForwarded
    self.hasForwards = hasForwards
  }
}

/// What a member still has to be sent before anything else.
public struct GroupBacklog: Hashable, Sendable {
  /// Whether others are still being introduced to the member.
  public var isHeld: Bool
  /// Whether messages wait for the member's connection.
  public var hasPending: Bool

  /// A backlog; empty by default.
  public init(isHeld: Bool = false, hasPending: Bool = false) {
    self.isHeld = isHeld
    self.hasPending = hasPending
  }
}

extension GroupTopology {
  /// The way in which events reach a member.
  /// - Parameters:
  ///   - backlog: what the member has to be sent before.
  ///   - host: the member who introduced the user and the member to each other; nil where it is not a recipient.
  public func route(
    _ traffic: GroupTraffic, to member: GroupMember, after backlog: GroupBacklog, introducedBy host: GroupMember?
  ) -> GroupRoute {
    guard member.memberStatus != .memRejected else { return .none }
    if let connection = member.activeConn {
      if connection.connDisabled || connection.connStatus == .deleted || connection.hasFailed { return .none }
      // The agent sends what is last when the queue has room again, and deletes the connection then.
      if connection.connInactive, !traffic.isLast { return .wait(isHeld: backlog.isHeld) }
      if connection.connStatus == .ready || connection.connStatus == .sndReady {
        // What waits goes first, unless nothing can be sent afterwards.
        if !traffic.isLast, backlog.isHeld || backlog.hasPending { return .wait(isHeld: backlog.isHeld) }
        return .send(isBatched: sendsBatches(to: member))
      }
    }
    switch member.memberCategory {
    case .userMember: return .none
    case .inviteeMember, .hostMember: return .wait(isHeld: backlog.isHeld)
    case .preMember, .postMember:
      // In a channel only relays have connections, and relays are hosts or invitees.
      guard sendsLinksWithIntroductions else { return .none }
      let canForward = member.supports(ChatVersion.groupForward) && host.map(forwards) == true
      if canForward, traffic.isForwarded { return .forwarded }
      return traffic.hasForwards ? .none : .wait(isHeld: backlog.isHeld)
    }
  }

  /// The database id of the member who introduced the user and another member to each other; nil where they have a
  /// connection of their own from the beginning.
  public func introducer(of member: GroupMember, to membership: GroupMember) -> Int64? {
    switch member.memberCategory {
    case .userMember, .inviteeMember, .hostMember: nil
    case .preMember: membership.invitedByGroupMemberId
    case .postMember: member.invitedByGroupMemberId
    }
  }
}
