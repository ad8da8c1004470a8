import AgentProtocol
import WireCodec

/// Versions of the protocol between chat clients, as two numbers from 1 on.
public typealias ChatVersionRange = WireCodec.VersionRange

/// The features of each version of the protocol between chat clients. A connection uses the lower of both parties'
/// highest versions.
public enum ChatVersion {
  /// The first version that clients tell each other about.
  public static let initial: UInt16 = 1
  /// Members of groups become contacts only by `x.grp.direct.inv`.
  public static let groupDirectInvitation: UInt16 = 2
  /// Group links join without a contact in between.
  public static let groupFastLinkJoin: UInt16 = 3
  /// The host forwards messages while members connect.
  public static let groupForward: UInt16 = 4
  /// Messages in groups are sent in batches.
  public static let groupBatches: UInt16 = 5
  /// The welcome message follows the history.
  public static let welcomeAfterHistory: UInt16 = 6
  /// Members tell each other of new profiles.
  public static let memberProfileUpdate: UInt16 = 7
  /// Bodies may be compressed; ratchets may be post-quantum.
  public static let compression: UInt16 = 8
  /// Messages to contacts are sent in batches, and batches are forwarded.
  public static let batches: UInt16 = 9
  /// Chats with a business.
  public static let businessChats: UInt16 = 10
  /// Preferences of business chats change by `x.grp.prefs`.
  public static let businessChatPreferences: UInt16 = 11
  /// Messages are reported to moderators.
  public static let contentReports: UInt16 = 12
  /// A host rejects requests to join by a link.
  public static let groupJoinRejection: UInt16 = 14
  /// Messages to a part of the group.
  public static let messageScopes: UInt16 = 15
  /// Short links have data.
  public static let shortLinkData: UInt16 = 16
  /// A host may send voice messages to a member who waits for its approval, whatever the group allows; the member may
  /// not.
  public static let voiceForApproval: UInt16 = 17
  /// Relays of channels tell their owners about pages for browsers. Nothing else changes.
  public static let relayWebPages: UInt16 = 18
  /// Relays of channels confirm a list of members that an owner signed. Nothing else changes.
  public static let channelRoster: UInt16 = 19
  /// The version used where the peer allows it. It is announced although being an owner or a relay of channels is
  /// missing: versions 18 and 19 change nothing else but the list of members, which subscribers get.
  public static let current = channelRoster
  /// The versions this implementation speaks.
  public static let supported = ChatVersionRange(initial...current)

  /// The version range of senders whose messages have none.
  public static let unstated = ChatVersionRange(initial)

  /// The chat version that a peer surely has whose agent speaks `agentVersion`, before any of its messages was seen.
  public static func implied(byAgent agentVersion: UInt16) -> UInt16 {
    agentVersion < AgentVersion.postQuantum ? initial : compression
  }

  /// The version to use with a peer of the versions `peer`: the highest that both know, or the nearest that the peer
  /// knows if there is none.
  public static func agreed(own: ChatVersionRange = supported, peer: ChatVersionRange) -> UInt16 {
    own.intersection(peer)?.highest ?? (peer.lowest > own.highest ? peer.lowest : peer.highest)
  }
}
