import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStateTesting
import Testing

/// Who reaches whom in groups of each kind.
@Suite struct TopologyTests {
  private let roles: [GroupMemberRole] = [.relay, .observer, .author, .member, .moderator, .admin, .owner]

  private func member(
    _ role: GroupMemberRole, _ category: GroupMemberCategory = .postMember, _ status: GroupMemberStatus = .memConnected,
    over connection: Connection? = nil, version: Int = 19, id: Int64 = 7
  ) -> GroupMember {
    var member = Samples.member(id, in: 1, "bob", role: role)
    (member.memberCategory, member.memberStatus, member.activeConn) = (category, status, connection)
    member.memberChatVRange = VersionRange(1, version)
    member.activeConn?.peerChatVRange = VersionRange(1, version)
    return member
  }

  private func connection(_ status: ConnStatus = .ready) -> Connection {
    var connection = Samples.connection(1)
    connection.connStatus = status
    return connection
  }

  @Test func groupsHaveATopology() {
    var group = Samples.group(1, "team", at: Samples.time(0))
    #expect(group.topology == .p2p)
    group.businessChat = BusinessChatInfo(chatType: .customer, businessId: "YQ==", customerId: "Yg==")
    #expect(group.topology == .business)
    group.useRelays = true
    #expect(group.topology == .channel)
  }

  @Test func everybodyConnectsUnlessRelaysDo() {
    for topology in [GroupTopology.p2p, .business] {
      for role in roles {
        for other in roles { #expect(topology.connects(role, with: other), "\(topology) \(role) \(other)") }
      }
    }
    for role in roles.dropFirst() {
      #expect(GroupTopology.channel.connects(role, with: .relay), "\(role)")
      #expect(GroupTopology.channel.connects(.relay, with: role), "\(role)")
      for other in roles.dropFirst() { #expect(!GroupTopology.channel.connects(role, with: other), "\(role) \(other)") }
    }
    #expect(!GroupTopology.channel.connects(.relay, with: .relay))
  }

  @Test func forwarders() {
    for role in roles {
      #expect(GroupTopology.p2p.forwards(as: role) == (role == .admin || role == .owner), "\(role)")
      #expect(GroupTopology.business.forwards(as: role) == GroupTopology.p2p.forwards(as: role), "\(role)")
      #expect(GroupTopology.channel.forwards(as: role) == (role == .relay), "\(role)")
    }
    #expect(GroupTopology.p2p.forwards(member(.admin)))
    #expect(!GroupTopology.p2p.forwards(member(.admin, version: 3)))
    #expect(!GroupTopology.p2p.forwards(member(.admin, .hostMember, .memLeft)))
    #expect(!GroupTopology.channel.forwards(member(.owner)))
    #expect(GroupTopology.p2p.userForwards(member(.owner, .userMember, .memCreator)))
    #expect(!GroupTopology.p2p.userForwards(member(.owner, .userMember, .memRemoved)))
    #expect(GroupTopology.p2p.precedes(member(.admin), member(.member)))
    #expect(!GroupTopology.p2p.precedes(member(.member), member(.admin)))
    #expect(!GroupTopology.p2p.precedes(member(.owner), member(.admin)))
  }

  @Test func recipients() {
    let (owner, relay) = (member(.owner, .userMember), member(.relay, .inviteeMember))
    for topology in GroupTopology.allCases {
      #expect(topology.isRecipient(relay, of: owner), "\(topology)")
      #expect(topology.isRecipient(member(.member), of: owner) == (topology != .channel), "\(topology)")
      #expect(!topology.isRecipient(member(.relay, .inviteeMember, .memLeft), of: owner), "\(topology)")
      let pending = member(.relay, .inviteeMember, .memPendingReview)
      #expect(!topology.isRecipient(pending, of: owner), "\(topology)")
      #expect(topology.isRecipient(pending, of: owner, includingPending: true), "\(topology)")
    }
    #expect(GroupTopology.channel.isRecipient(member(.observer), of: member(.relay, .userMember)))
  }

  @Test func whatChannelsDoDifferently() {
    for topology in GroupTopology.allCases {
      let isChannel = topology == .channel
      #expect(topology.batchForm == (isChannel ? .binary : .json))
      #expect(topology.hasChannelAuthor == isChannel)
      #expect(topology.requiresSignatures == isChannel)
      #expect(topology.sendsLinksWithIntroductions == !isChannel)
      #expect(topology.allowsMemberContacts == !isChannel)
      #expect(topology.unknownMemberRole == (isChannel ? .observer : .author))
      #expect(topology.allowsReceipts(members: 20) == !isChannel)
      #expect(!topology.allowsReceipts(members: 21))
    }
  }

  @Test func channelsShowLessOfMembers() {
    for activity in GroupTopology.MemberActivity.allCases {
      for role in roles {
        for subject in roles {
          #expect(GroupTopology.p2p.shows(activity, of: subject, to: role))
          #expect(GroupTopology.business.shows(activity, of: subject, to: role))
          let isShown = GroupTopology.channel.shows(activity, of: subject, to: role)
          let isSubscriber = { (role: GroupMemberRole) in [.observer, .author, .member].contains(role) }
          let isMuted = isSubscriber(role) && isSubscriber(subject)
          let isAboutAll = activity == .announced || activity == .roleChanged
          #expect(isShown == (!isAboutAll && !isMuted), "\(activity) \(subject) \(role)")
        }
      }
    }
  }

  // MARK: Routes

  private func route(
    _ topology: GroupTopology = .p2p, _ traffic: GroupTraffic = GroupTraffic(), to member: GroupMember,
    after backlog: GroupBacklog = GroupBacklog(), introducedBy host: GroupMember? = nil
  ) -> GroupRoute {
    topology.route(traffic, to: member, after: backlog, introducedBy: host)
  }

  @Test func readyConnectionsAreSentTo() {
    for status in [ConnStatus.ready, .sndReady] {
      let ready = member(.member, over: connection(status))
      #expect(route(to: ready) == .send(isBatched: true), "\(status)")
      // What waits goes first, unless nothing can be sent afterwards.
      #expect(route(to: ready, after: GroupBacklog(hasPending: true)) == .wait(isHeld: false), "\(status)")
      #expect(route(to: ready, after: GroupBacklog(isHeld: true)) == .wait(isHeld: true), "\(status)")
      #expect(
        route(.p2p, GroupTraffic(isLast: true), to: ready, after: GroupBacklog(isHeld: true, hasPending: true))
          == .send(isBatched: true), "\(status)")
    }
    // Admins of version 8 forward messages one by one.
    #expect(route(to: member(.admin, over: connection(), version: 8)) == .send(isBatched: false))
    #expect(route(to: member(.admin, over: connection(), version: 9)) == .send(isBatched: true))
    #expect(route(to: member(.member, over: connection(), version: 8)) == .send(isBatched: true))
  }

  @Test func brokenConnections() {
    #expect(route(to: member(.member, over: connection(.deleted))) == .none)
    #expect(route(to: member(.member, .postMember, .memRejected, over: connection())) == .none)
    var disabled = connection()
    disabled.authErrCounter = 10
    #expect(disabled.connDisabled)
    #expect(route(to: member(.member, over: disabled)) == .none)
    var inactive = connection()
    inactive.quotaErrCounter = 5
    #expect(inactive.connInactive)
    #expect(route(to: member(.member, over: inactive)) == .wait(isHeld: false))
    #expect(route(.p2p, GroupTraffic(isLast: true), to: member(.member, over: inactive)) == .send(isBatched: true))
  }

  @Test func membersWithoutConnection() {
    let admin = member(.admin, .hostMember, id: 8)
    let forwarded = GroupTraffic(isForwarded: true)
    for category in [GroupMemberCategory.preMember, .postMember] {
      let other = member(.member, category, over: connection(.joined))
      #expect(route(.p2p, forwarded, to: other, introducedBy: admin) == .forwarded)
      #expect(route(to: other, introducedBy: admin) == .wait(isHeld: false))
      #expect(route(.p2p, forwarded, to: other) == .wait(isHeld: false))
      #expect(route(.p2p, forwarded, to: other, introducedBy: member(.member)) == .wait(isHeld: false))
      #expect(
        route(.p2p, forwarded, to: member(.member, category, version: 3), introducedBy: admin) == .wait(isHeld: false))
      #expect(route(.p2p, GroupTraffic(hasForwards: true), to: other) == .none)
      // Those who have no connection in a channel get everything from relays.
      #expect(route(.channel, forwarded, to: other, introducedBy: admin) == .none)
    }
    for category in [GroupMemberCategory.inviteeMember, .hostMember] {
      for topology in GroupTopology.allCases {
        #expect(route(topology, forwarded, to: member(.relay, category)) == .wait(isHeld: false), "\(topology)")
        #expect(
          route(topology, forwarded, to: member(.relay, category), after: GroupBacklog(isHeld: true))
            == .wait(isHeld: true), "\(topology)")
      }
    }
    #expect(route(to: member(.owner, .userMember)) == .none)
  }

  @Test func introducers() {
    var (own, other) = (member(.member, .userMember), member(.member, .preMember))
    (own.invitedByGroupMemberId, other.invitedByGroupMemberId) = (1, 2)
    #expect(GroupTopology.p2p.introducer(of: other, to: own) == 1)
    other.memberCategory = .postMember
    #expect(GroupTopology.p2p.introducer(of: other, to: own) == 2)
    for category in [GroupMemberCategory.userMember, .inviteeMember, .hostMember] {
      other.memberCategory = category
      #expect(GroupTopology.p2p.introducer(of: other, to: own) == nil, "\(category)")
    }
  }

  @Test func audiences() {
    let (pending, current) = (member(.member, .postMember, .memPendingReview), member(.member))
    #expect(Audience(member(.member, .postMember, .memPendingApproval)) == .nobody)
    #expect(Audience(pending) == .support(7))
    #expect(Audience(current) == .members(includingPending: false))
    #expect(Audience(member(.moderator)) == .members(includingPending: true))
    #expect(!Audience.nobody.includes(current))
    #expect(Audience.members(includingPending: false).includes(current))
    #expect(!Audience.members(includingPending: false).includes(pending))
    #expect(Audience.members(includingPending: true).includes(pending))
    #expect(Audience.support(7).includes(pending))
    #expect(!Audience.support(8).includes(current))
    #expect(Audience.support(8).includes(member(.moderator)))
    #expect(!Audience.support(8).includes(member(.moderator, version: 14)))
  }
}
