import ChatAPI

extension ChatView {
  /// The lines of an error. Some errors of the network are shown only where a command caused them.
  public func lines(_ error: ChatError, isOfCommand: Bool) -> [StyledText] {
    switch error {
    case .error(let error): lines(error)
    case .errorStore(let error): lines(error)
    case .errorDatabase(let error): lines(error)
    case .errorAgent(let error, let connection, let entity):
      lines(error, place(entity, connection), isOfCommand: isOfCommand)
    case .errorRemoteCtrl(let error): [StyledText("remote controller error: \(error.text)")]
    case .errorRemoteHost(.new, let error): [StyledText("new remote host error: \(error.text)")]
    case .errorRemoteHost(.id(let host), let error): [StyledText("remote host \(host) error: \(error.text)")]
    case .invalidJSON, .unexpectedResult: [StyledText(error.text)]
    }
  }

  // MARK: Chat

  private func lines(_ error: ChatErrorType) -> [StyledText] {
    switch error {
    case .noActiveUser: ["error: active user is required"]
    case .noConnectionUser(let id): told(.error, "error: message user not found, conn id: \(id)")
    case .chatRelayExists: ["chat realy user already exists"]
    case .invalidChatMessage(let connection, let meta, let data, let message):
      [
        StyledText(
          "chat message error: \(message) (\(data.prefix(120))), connection id: \(connection.connId)"
            + (meta.map { ", agent msg rcv id: \($0.rcvId)" } ?? ""))
      ]
    case .connectionDisabled(let connection):
      told(.warn, "connection \(connection.connType.rawValue) (\(connection.connId)) is disabled")
    case .agentNoSubResult(let id): [StyledText("no subscription result for connection: \(id)")]
    case .serverProtocol(let kind):
      [StyledText("Servers for protocol \(kind.rawValue) cannot be configured by the users")]
    case .userExists(let name): ["user with the name \(.contact(name)) already exists"]
    case .userUnknown: ["user does not exist or incorrect password"]
    case .differentActiveUser(let command, let active):
      [StyledText("error: different active user, command user id: \(command), active user id: \(active)")]
    case .cantDeleteActiveUser: ["cannot delete active user"]
    case .cantDeleteLastUser: ["cannot delete last user"]
    case .cantHideLastUser: ["cannot hide the only not hidden user"]
    case .hiddenUserAlwaysMuted: ["hidden user always muted when inactive"]
    case .emptyUserPassword: ["user password is required"]
    case .userAlreadyHidden: ["user is already hidden"]
    case .userNotHidden: ["user is not hidden"]
    case .invalidDisplayName(let name, let valid):
      [
        StyledText(
          name.isEmpty ? "display name can't be empty" : "invalid display name: \(DisplayName.quoted(name))")
      ] + (valid.isEmpty ? [] : [StyledText("you could use this one: \(DisplayName.quoted(valid))")])
    case .chatNotStarted where isStoreChanged, .chatStoreChanged:
      [
        showsStatus
          ? "The database was changed: end the program with \(.highlight("/quit")) and start it again."
          : "error: chat store changed, please restart chat"
      ]
    case .chatNotStarted:
      [showsStatus ? "The chat is stopped. \(.highlight("/_start")) starts it." : "error: chat not started"]
    case .chatNotStopped:
      [
        showsStatus
          ? "This needs the chat to be stopped: \(.highlight("/_stop")) first, \(.highlight("/_start")) afterwards."
          : "error: chat not stopped"
      ]
    case .invalidConnReq:
      [
        "", "Connection link is invalid, possibly it was created in a previous version.",
        "Please ask your contact to check \(.highlight("/version")) and update if needed.",
      ]
    case .unsupportedConnReq:
      ["", "Connection link is not supported by your version of the program, please upgrade it."]
    case .connReqMessageProhibited: ["message is not allowed with this connection link"]
    case .contactNotFound(let name, let suspect): [noContact(name, suspect)]
    case .contactNotReady(let contact): ["\(name(contact)): not ready"]
    case .contactNotActive(let contact): ["\(name(contact)): not active"]
    case .contactDisabled(let contact):
      [
        "\(name(contact)): disabled, to enable: \(.highlight("/enable \(typed(contact))")), to delete: \(.highlight("/d \(typed(contact))"))"
      ]
    case .fileNotFound(let file): [StyledText("file not found: \(file)")]
    case .fileSize(let file): [StyledText("file size exceeds the limit: \(file)")]
    case .invalidForward: ["cannot forward message(s)"]
    case .invalidChatItemUpdate: ["cannot update this item"]
    case .invalidChatItemDelete: ["cannot delete this item"]
    case .hasCurrentCall: ["call already in progress"]
    case .noCurrentCall: ["no call in progress"]
    case .callContact, .callState: []
    case .directMessagesProhibited(.snd, let contact):
      ["direct messages to indirect contact \(name(contact)) are prohibited"]
    case .directMessagesProhibited(.rcv, let contact):
      ["received prohibited direct message from indirect contact \(name(contact)) (discarded)"]
    case .agentVersion: ["unsupported agent version"]
    case .commandError(let message): [StyledText("bad chat command: \(message)")]
    case .agentCommandError(let message): [StyledText("agent command error: \(message)")]
    case .connectionIncognitoChangeProhibited: ["incognito mode change prohibited"]
    case .connectionUserChangeProhibited: ["incognito mode change prohibited for user"]
    case .peerChatVRangeIncompatible: ["peer chat protocol version range incompatible"]
    case .internalError(let message): [StyledText("internal chat error: \(message)")]
    case .exception(let message): [StyledText("exception: \(message)")]
    default: fileLines(error)
    }
  }

  /// The line, if this level is logged.
  func told(_ level: LogLevel, _ line: String) -> [StyledText] {
    logLevel <= level ? [StyledText(line)] : []
  }

  private func noContact(_ name: String, _ suspect: SuspectedMember?) -> StyledText {
    let line: StyledText = "no contact \(.contact(name))"
    guard let suspect else { return line }
    let command = "@#\(typed(suspect.groupInfo)) \(typed(suspect.groupMember)) <your message>"
    return line + ", use \(.highlight(command))"
  }

  // MARK: Store

  private func lines(_ error: StoreError) -> [StyledText] {
    switch error {
    case .duplicateName: ["this display name is already used by user, contact or group"]
    case .userNotFoundByName(let name): ["no user \(.contact(name))"]
    case .contactNotFoundByName(let name): ["no contact \(.contact(name))"]
    case .contactNotReady(let name): ["contact \(.contact(name)) is not active yet"]
    case .groupNotFoundByName(let name): ["no group \(.group(name))"]
    case .groupAlreadyJoined: ["you already joined this group"]
    case .fileNotFound(let id), .sndFileNotFound(let id), .rcvFileNotFound(let id):
      [StyledText("file \(id) not found")]
    case .duplicateContactLink: ["you already have chat address, to show: \(.highlight("/sa"))"]
    case .userContactLinkNotFound: ["no chat address, to create: \(.highlight("/ad"))"]
    case .contactRequestNotFoundByName(let name): ["no contact request from \(.contact(name))"]
    case .fileIdNotFoundBySharedMsgId: []
    case .duplicateGroupMessage(let group, let id, _, _) where isTestView:
      [
        StyledText("duplicate group message, group id: \(group), message id: ")
          + "SharedMsgId \(ConstructorText.quoted(id))"
      ]
    case .duplicateGroupMessage: []
    case .internalError("referenced group member not found") where isTestView: []
    case .connectionNotFound(let id): told(.warn, "event connection not found, agent ID: \(id)")
    case .largeMsg where showsStatus:
      ["The message is too long: a message holds about 15,000 bytes. Send it in several parts."]
    case .chatItemNotFoundByText(let text): [StyledText("message not found by text: \(text)")]
    case .invalidQuote where showsStatus: ["A message that is deleted or not of this chat cannot be quoted."]
    case .userNoteFolderNotFound: ["no notes folder"]
    case .groupMemberNameNotFound(_, let name) where showsStatus: ["the group has no member \(.contact(name))"]
    case .duplicateGroupLink(let group):
      ["you already have link for this group, to show: \(.highlight("/show link #\(typed(group))"))"]
    case .groupLinkNotFound(let group):
      ["no group link, to create: \(.highlight("/create link #\(typed(group))"))"]
    case .remoteHostNotFound(let id): [StyledText("no remote host \(id)")]
    case .remoteCtrlNotFound(let id): [StyledText("no remote controller \(id)")]
    default: [StyledText(showsStatus ? error.text : "chat db error: \(ConstructorText.of(error))")]
    }
  }

  private func lines(_ error: DatabaseError) -> [StyledText] {
    switch error {
    case .errorEncrypted: ["error: chat database is already encrypted"]
    case .errorPlaintext: ["error: chat database is not encrypted"]
    case .errorExport(let error): [StyledText("error encrypting database: \(text(error))")]
    case .errorOpen(let error): [StyledText("error opening database after encryption: \(text(error))")]
    case .errorNoFile: [StyledText("chat database error: \(error.text)")]
    }
  }

  private func text(_ error: SQLiteError) -> String {
    switch error {
    case .errorNotADatabase: "wrong passphrase or invalid database file"
    case .error(let text): text
    }
  }

  // MARK: Agent

  private func lines(_ error: AgentErrorType, _ place: StyledText, isOfCommand: Bool) -> [StyledText] {
    switch error {
    case .CMD(.PROHIBITED, _) where showsStatus: return [place + StyledText(error.text)]
    case .CMD(.PROHIBITED, let context):
      return [place + StyledText("error: command is prohibited, \(context)")]
    case .SMP(_, .AUTH):
      return [
        place
          + "error: connection authorization failed - this could happen if connection was deleted, secured with different credentials, or due to a bug - please re-create the connection"
      ]
    case .SMP(_, .BLOCKED(let info)):
      let reason = info.reason == .spam ? "spam" : "content violates conditions of use"
      return [place + StyledText("error: connection blocked by server operator: \(reason)")]
    case .BROKER(_, .NETWORK) where !isOfCommand, .BROKER(_, .TIMEOUT) where !isOfCommand: return []
    case .BROKER(_, .NETWORK) where showsStatus, .BROKER(_, .TIMEOUT) where showsStatus:
      let advice = "Check the network and the server's address: \(.highlight("/smp")) shows the servers." as StyledText
      return [place + StyledText(error.text), advice]
    case .AGENT(.A_DUPLICATE):
      guard isOfCommand || logLevel == .debug else { return [] }
      return [place + StyledText(showsStatus ? error.text : "error: AGENT A_DUPLICATE")]
    case .AGENT(.A_PROHIBITED(let text)):
      guard isOfCommand || logLevel <= .warn else { return [] }
      return [place + StyledText(showsStatus ? error.text : "error: AGENT A_PROHIBITED, \(text)")]
    case .CONN(.NOT_FOUND, _):
      guard isOfCommand || logLevel <= .warn else { return [] }
      return [place + StyledText(showsStatus ? error.text : "error: CONN NOT_FOUND")]
    case .CRITICAL(let offersRestart, let text):
      return [StyledText("critical error: \(text)")] + (offersRestart ? ["please restart the app"] : [])
    case .FILE(let error) where showsStatus:
      return isOfCommand || logLevel <= .warn ? [StyledText("file error: \(error.text)")] : []
    case .XFTP(let server, let error) where showsStatus:
      return isOfCommand || logLevel <= .warn ? [StyledText("file server \(host(server)): \(error.text)")] : []
    case .INTERNAL(let text) where showsStatus && text.contains("no servers"):
      return ["No relay is set. \(.highlight("/smp <server>")) or the option -s sets one."]
    case .INTERNAL(let text): return [StyledText("internal error: \(text)")]
    default:
      return isOfCommand || logLevel <= .warn ? [place + "smp agent error: \(text(error))"] : []
    }
  }

  private func place(_ entity: ConnectionEntity?, _ connection: String) -> StyledText {
    guard let entity else { return connection.isEmpty ? "" : StyledText("agent conn ID: \(connection)") }
    let id = entity.connection.connId
    switch entity {
    case .rcvDirectMsgConnection(_, let contact?):
      return "[\(label(entity)), contactId: \(contact.contactId), connId: \(id)] "
    case .rcvDirectMsgConnection(_, nil):
      return "[\(label(entity)), connId: \(id)] "
    case .rcvGroupMsgConnection(_, let group, let member):
      return "[\(label(entity)), groupId: \(group.groupId), memberId: \(member.groupMemberId), connId: \(id)] "
    case .userContactConnection(_, let address):
      return "[\(label(entity)), userContactLinkId: \(address.userContactLinkId), connId: \(id)] "
    }
  }
}
