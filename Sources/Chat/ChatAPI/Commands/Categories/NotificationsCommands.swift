/// Device tokens and the messages behind a push (specification section 2.9).
enum NotificationsCommands: CommandCategory {
  static func declare(in commands: inout CommandDeclarations) {
    commands.command(
      "apiGetNtfToken", "/_ntf get",
      make: { .apiGetNtfToken }, match: { if case .apiGetNtfToken = $0 { () } else { nil } })
    commands.command(
      "apiRegisterToken", "/_ntf register ",
      deviceToken, oneOf("notificationMode", [NotificationsMode.periodic, .instant]).after(" "),
      make: ChatCommand.apiRegisterToken,
      match: {
        if case .apiRegisterToken(let token, let notificationMode) = $0 { (token, notificationMode) } else { nil }
      })
    commands.command(
      "apiVerifyToken", "/_ntf verify ",
      deviceToken, word("nonce").after(" "), word("code").after(" "),
      make: ChatCommand.apiVerifyToken,
      match: { if case .apiVerifyToken(let token, let nonce, let code) = $0 { (token, nonce, code) } else { nil } })
    commands.command(
      "apiCheckToken", "/_ntf check ",
      deviceToken,
      make: ChatCommand.apiCheckToken,
      match: { if case .apiCheckToken(let token) = $0 { token } else { nil } })
    commands.command(
      "apiDeleteToken", "/_ntf delete ",
      deviceToken,
      make: ChatCommand.apiDeleteToken,
      match: { if case .apiDeleteToken(let token) = $0 { token } else { nil } })
    commands.command(
      "apiGetNtfConns", "/_ntf conns ",
      word("nonce"), word("encrypted info").after(" "),
      make: ChatCommand.apiGetNtfConns,
      match: { if case .apiGetNtfConns(let nonce, let encNtfInfo) = $0 { (nonce, encNtfInfo) } else { nil } })
    commands.command(
      "apiGetConnNtfMessages", "/_ntf conn messages ",
      connMsgReq.list,
      make: ChatCommand.apiGetConnNtfMessages,
      match: { if case .apiGetConnNtfMessages(let connMsgReqs) = $0 { connMsgReqs } else { nil } })
  }
}
