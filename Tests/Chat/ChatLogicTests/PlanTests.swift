import ChatAPI
import ChatLogic
import ChatStateTesting
import Testing

/// What a link leads to.
@Suite struct PlanTests {
  private func entity(
    _ status: ConnStatus, initiated: Bool = false, contact: Contact? = nil
  ) -> ConnectionEntity {
    var connection = Samples.connection(1)
    connection.connStatus = status
    connection.contactConnInitiated = initiated
    return .rcvDirectMsgConnection(entityConnection: connection, contact: contact)
  }

  private func contact(_ status: ContactStatus = .active, connected: ConnStatus = .ready) -> Contact {
    var contact = Samples.contact(2, "bob", at: Samples.time(0))
    contact.contactStatus = status
    contact.activeConn?.connStatus = connected
    return contact
  }

  private func plan(_ entity: ConnectionEntity?) -> InvitationLinkPlan {
    InvitationLinkPlan(entity: entity, linkData: nil, verification: nil)
  }

  private let new = InvitationLinkPlan.ok(contactSLinkData_: nil, ownerVerification: nil)

  @Test func invitations() {
    #expect(plan(nil) == new)
    #expect(plan(entity(.new, initiated: true)) == .ownLink)
    #expect(plan(entity(.prepared)) == new)
    #expect(plan(entity(.joined)) == .connecting(contact_: nil))
    #expect(plan(entity(.ready, contact: contact())) == .known(contact: contact()))
    #expect(plan(entity(.ready, contact: contact(.deleted))) == new)
  }

  private func addressPlan(_ entity: ConnectionEntity?, card: Contact? = nil) -> ContactAddressPlan {
    ContactAddressPlan(entity: entity, card: card, linkData: nil, verification: nil)
  }

  private let newAddress = ContactAddressPlan.ok(contactSLinkData_: nil, ownerVerification: nil)

  @Test func addresses() {
    #expect(addressPlan(nil) == newAddress)
    #expect(addressPlan(nil, card: contact()) == .contactViaAddress(contact: contact()))
    #expect(addressPlan(nil, card: contact(.deletedByUser)) == newAddress)
    #expect(addressPlan(entity(.prepared)) == newAddress)
    #expect(addressPlan(entity(.joined)) == .connectingConfirmReconnect)
    let connecting = contact(connected: .joined)
    #expect(addressPlan(entity(.joined, contact: connecting)) == .connectingProhibit(contact: connecting))
    #expect(addressPlan(entity(.ready, contact: contact())) == .known(contact: contact()))
    #expect(addressPlan(entity(.ready, contact: contact(.deleted))) == newAddress)
  }

  @Test func groupLinks() {
    func plan(_ status: GroupMemberStatus?, over connection: ConnStatus? = nil) -> (GroupInfo?, GroupLinkPlan) {
      var group: GroupInfo?
      if let status {
        group = Samples.group(3, "team", at: Samples.time(0))
        group?.membership.memberStatus = status
      }
      var known = connection.map { _ in Samples.connection(1) }
      if let connection { known?.connStatus = connection }
      return (group, GroupLinkPlan(group: group, connection: known, data: nil))
    }
    let new = GroupLinkPlan.ok(groupSLinkInfo_: nil, groupSLinkData_: nil, ownerVerification: nil)
    #expect(plan(nil).1 == new)
    #expect(plan(nil, over: .prepared).1 == new)
    #expect(plan(nil, over: .joined).1 == .connectingConfirmReconnect)
    let known: [GroupMemberStatus] = [
      .memPendingApproval, .memPendingReview, .memConnected, .memComplete, .memRejected,
    ]
    for status in known {
      let (group, plan) = plan(status)
      #expect(group.map { plan == .known(groupInfo: $0, ownerVerification: nil) } == true, "\(status)")
    }
    for status in [GroupMemberStatus.memInvited, .memAccepted, .memUnknown] {
      let (group, plan) = plan(status, over: .joined)
      #expect(plan == .connectingProhibit(groupInfo_: group), "\(status)")
    }
    for status in [GroupMemberStatus.memRemoved, .memLeft, .memGroupDeleted] {
      #expect(plan(status, over: .ready).1 == new, "\(status)")
    }
  }

  @Test func someGoOnWithoutAQuestion() {
    #expect(ConnectionPlan.invitationLink(invitationLinkPlan: new).proceeds)
    #expect(!ConnectionPlan.invitationLink(invitationLinkPlan: .connecting(contact_: nil)).proceeds)
    #expect(!ConnectionPlan.invitationLink(invitationLinkPlan: .known(contact: contact())).proceeds)
    #expect(ConnectionPlan.contactAddress(contactAddressPlan: .connectingConfirmReconnect).proceeds)
    #expect(!ConnectionPlan.contactAddress(contactAddressPlan: .connectingProhibit(contact: contact())).proceeds)
  }
}
