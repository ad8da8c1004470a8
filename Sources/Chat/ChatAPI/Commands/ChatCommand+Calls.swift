// Calls name a contact, of which only the number is sent.

extension ChatCommand {
  /// The contact of a call.
  public struct ContactID: Hashable, Sendable {
    /// Database id of the contact.
    public var contactId: Int64

    /// The contact with this id.
    public init(_ contactId: Int64) { self.contactId = contactId }
  }

  /// Calls a contact.
  public static func apiSendCallInvitation(contact: Contact, callType: CallType) -> ChatCommand {
    .apiSendCallInvitation(contact: ContactID(contact.contactId), callType: callType)
  }

  /// Rejects a call.
  public static func apiRejectCall(contact: Contact) -> ChatCommand {
    .apiRejectCall(contact: ContactID(contact.contactId))
  }

  /// Accepts a call with an offer.
  public static func apiSendCallOffer(contact: Contact, callOffer: WebRTCCallOffer) -> ChatCommand {
    .apiSendCallOffer(contact: ContactID(contact.contactId), callOffer: callOffer)
  }

  /// Answers an offer.
  public static func apiSendCallAnswer(contact: Contact, answer: WebRTCSession) -> ChatCommand {
    .apiSendCallAnswer(contact: ContactID(contact.contactId), answer: answer)
  }

  /// Sends further connection candidates.
  public static func apiSendCallExtraInfo(contact: Contact, extraInfo: WebRTCExtraInfo) -> ChatCommand {
    .apiSendCallExtraInfo(contact: ContactID(contact.contactId), extraInfo: extraInfo)
  }

  /// Ends a call.
  public static func apiEndCall(contact: Contact) -> ChatCommand {
    .apiEndCall(contact: ContactID(contact.contactId))
  }

  /// Reports the state of a call's connection.
  public static func apiCallStatus(contact: Contact, callStatus: WebRTCCallStatus) -> ChatCommand {
    .apiCallStatus(contact: ContactID(contact.contactId), callStatus: callStatus)
  }
}
