import ChatAPI

extension APIResult<ChatResponse> {
  /// Whether the command failed, also where the response to it is no error but reports what failed.
  func isFailure(of command: String) -> Bool {
    switch self {
    case .error, .invalid: true
    case .result(.response0(let response)): Self.isFailure(response, of: command)
    case .result(.response1(.connectionPlan(_, _, _, _, .error))): true
    case .result(.response2(let response)): Self.isFailure(response)
    // Contacts that did not get the message.
    case .result(.response3(.broadcastSent(_, _, _, let failures, _))): failures > 0
    case .result: false
    }
  }

  private static func isFailure(_ response: ChatResponse0, of command: String) -> Bool {
    switch response {
    case .serverTestResult(_, _, let failure): failure != nil
    case .chatRelayTestResult(_, _, let failure): failure != nil
    case .userServersValidation(_, let errors, _): !errors.isEmpty
    // Without a code the command takes the verification back.
    case .connectionVerified(_, let isVerified, _): !isVerified && comparesCode(command)
    default: false
    }
  }

  private static func isFailure(_ response: ChatResponse2) -> Bool {
    switch response {
    case .chatCmdError, .publicGroupCreationFailed, .groupRelaysAddFailed, .rcvFileAcceptedSndCancelled: true
    case .contactDomainVerified(_, _, let failure): failure != nil
    case .groupDomainVerified(_, _, let failure): failure != nil
    // The errors name files that are missing in the archive, or were not taken from it.
    case .archiveExported(let errors), .archiveImported(let errors): !errors.isEmpty
    default: false
    }
  }

  private static func comparesCode(_ command: String) -> Bool {
    switch try? ChatCommand(parsing: command) {
    case .terminal(.verifyContact(_, let code)): code != nil
    case .terminal(.verifyGroupMember(_, _, let code)): code != nil
    case .apiVerifyContact(_, let code), .apiVerifyGroupMember(_, _, let code): code != nil
    default: false
    }
  }
}
