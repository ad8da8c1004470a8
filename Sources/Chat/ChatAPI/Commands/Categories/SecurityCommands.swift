/// Verification codes, changing queues and repairing encryption (specification section 2.17).
enum SecurityCommands: CommandCategory {
  static func declare(in commands: inout CommandDeclarations) {
    commands.command(
      "apiGetContactCode", "/_get code @",
      id("contactId"),
      make: ChatCommand.apiGetContactCode,
      match: { if case .apiGetContactCode(let contactId) = $0 { contactId } else { nil } })
    commands.command(
      "apiGetGroupMemberCode", "/_get code #",
      id("groupId"), id("groupMemberId").after(" "),
      make: ChatCommand.apiGetGroupMemberCode,
      match: {
        if case .apiGetGroupMemberCode(let groupId, let groupMemberId) = $0 { (groupId, groupMemberId) } else { nil }
      })
    commands.command(
      "apiVerifyContact", "/_verify code @",
      id("contactId"), digits("code").optional(),
      make: ChatCommand.apiVerifyContact,
      match: {
        if case .apiVerifyContact(let contactId, let connectionCode) = $0 { (contactId, connectionCode) } else { nil }
      })
    commands.command(
      "apiVerifyGroupMember", "/_verify code #",
      id("groupId"), id("groupMemberId").after(" "), digits("code").optional(),
      make: ChatCommand.apiVerifyGroupMember,
      match: {
        if case .apiVerifyGroupMember(let groupId, let groupMemberId, let connectionCode) = $0 {
          (groupId, groupMemberId, connectionCode)
        } else {
          nil
        }
      })
    commands.command(
      "apiSwitchContact", "/_switch @",
      id("contactId"),
      make: ChatCommand.apiSwitchContact,
      match: { if case .apiSwitchContact(let contactId) = $0 { contactId } else { nil } })
    commands.command(
      "apiSwitchGroupMember", "/_switch #",
      id("groupId"), id("groupMemberId").after(" "),
      make: ChatCommand.apiSwitchGroupMember,
      match: {
        if case .apiSwitchGroupMember(let groupId, let groupMemberId) = $0 { (groupId, groupMemberId) } else { nil }
      })
    commands.command(
      "apiAbortSwitchContact", "/_abort switch @",
      id("contactId"),
      make: ChatCommand.apiAbortSwitchContact,
      match: { if case .apiAbortSwitchContact(let contactId) = $0 { contactId } else { nil } })
    commands.command(
      "apiAbortSwitchGroupMember", "/_abort switch #",
      id("groupId"), id("groupMemberId").after(" "),
      make: ChatCommand.apiAbortSwitchGroupMember,
      match: {
        if case .apiAbortSwitchGroupMember(let groupId, let groupMemberId) = $0 {
          (groupId, groupMemberId)
        } else {
          nil
        }
      })
    commands.command(
      "apiSyncContactRatchet", "/_sync @",
      id("contactId"), isPresent(" force=on"),
      make: ChatCommand.apiSyncContactRatchet,
      match: { if case .apiSyncContactRatchet(let contactId, let force) = $0 { (contactId, force) } else { nil } })
    commands.command(
      "apiSyncGroupMemberRatchet", "/_sync #",
      id("groupId"), id("groupMemberId").after(" "), isPresent(" force=on"),
      make: ChatCommand.apiSyncGroupMemberRatchet,
      match: {
        if case .apiSyncGroupMemberRatchet(let groupId, let groupMemberId, let force) = $0 {
          (groupId, groupMemberId, force)
        } else {
          nil
        }
      })
  }
}
