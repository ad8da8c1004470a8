import ChatAPI
import ChatLogic
import Testing

/// Which role may do what to members and messages.
@Suite struct GroupRightsTests {
  private let roles: [GroupMemberRole] = [
    .unknown(type: "later"), .relay, .observer, .author, .member, .moderator, .admin, .owner,
  ]
  private let p2p = [GroupRights(topology: .p2p), GroupRights(topology: .business)]
  private let channel = GroupRights(topology: .channel)

  /// The rules of groups without relays, as comparisons of both roles.
  @Test func groupsWithoutRelays() {
    for rights in p2p {
      for actor in roles {
        for subject in roles {
          let isHigher = actor >= subject
          #expect((actor >= rights.toBringIn(as: subject)) == (actor >= .admin && isHigher), "\(actor) \(subject)")
          #expect((actor >= rights.toBlock(subject)) == (actor >= .moderator && isHigher), "\(actor) \(subject)")
          #expect((actor >= rights.toRemove(subject)) == (actor >= .admin && isHigher), "\(actor) \(subject)")
          #expect(
            (actor >= rights.toModerate(messagesOf: subject)) == (actor >= .moderator && isHigher),
            "\(actor) \(subject)")
          #expect((actor >= rights.toAdmit(as: subject)) == (actor >= .moderator && isHigher), "\(actor) \(subject)")
          for new in roles {
            #expect(
              (actor >= rights.toChangeRole(from: subject, to: new)) == (actor >= .admin && isHigher && actor >= new),
              "\(actor) \(subject) \(new)")
          }
        }
      }
      #expect(rights.toChangeGroup == .owner)
      #expect(rights.toWrite == .author)
      #expect(rights.toWriteAsChannel == nil)
      #expect(!roles.contains(where: rights.isOnRoster))
    }
  }

  /// Members with rights are on a list that only owners change.
  @Test func channels() {
    let onRoster: [GroupMemberRole] = [.member, .moderator, .admin]
    for role in roles { #expect(channel.isOnRoster(role) == onRoster.contains(role), "\(role)") }
    for role in onRoster {
      #expect(channel.toRemove(role) == .owner)
      #expect(channel.toChangeRole(from: .observer, to: role) == .owner)
      #expect(channel.toChangeRole(from: role, to: .observer) == .owner)
      #expect(channel.toBlock(role) == max(.moderator, role))
    }
    #expect(channel.toRemove(.observer) == .admin)
    #expect(channel.toRemove(.owner) == .owner)
    #expect(channel.toChangeRole(from: .observer, to: .observer) == .admin)
    #expect(channel.toBlock(.observer) == .moderator)
    #expect(channel.toModerate(messagesOf: .member) == .moderator)
    #expect(channel.toWrite == .author)
    #expect(channel.toWriteAsChannel == .owner)
    #expect(channel.toChangeGroup == .owner)
  }
}
