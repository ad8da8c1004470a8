/// A type that has the names and the image of a chat.
public protocol NamedChat {
  /// The short name; the user's alias if there is one and the type says so.
  var displayName: String { get }
  /// The longer name; may be empty.
  var fullName: String { get }
  /// One line about it.
  var shortDescr: String? { get }
  /// Image as `data:` URI.
  var image: String? { get }
  /// The name that the user chose; may be empty.
  var localAlias: String { get }
}

extension NamedChat {
  /// The name in lists: the alias, or both names if they differ.
  public var chatViewName: String { localAlias.isEmpty ? joinedNames(displayName, fullName) : localAlias }
}

/// `name / full name`, or the name alone if the full one adds nothing.
func joinedNames(_ displayName: String, _ fullName: String) -> String {
  fullName.isEmpty || fullName == displayName ? displayName : "\(displayName) / \(fullName)"
}

/// `name (full name)`, or the name alone if the full one adds nothing.
private func namesInText(_ displayName: String, _ fullName: String) -> String {
  fullName.isEmpty || fullName == displayName ? displayName : "\(displayName) (\(fullName))"
}

extension Profile: NamedChat {
  /// Profiles as sent to peers have no alias.
  public var localAlias: String { "" }
  /// Both names, for texts.
  public var profileViewName: String { namesInText(displayName, fullName) }
}

extension LocalProfile: NamedChat {
  /// The alias or both names, for texts.
  public var profileViewName: String { localAlias.isEmpty ? namesInText(displayName, fullName) : localAlias }
}

extension GroupProfile: NamedChat {
  /// Profiles as sent to members have no alias.
  public var localAlias: String { "" }
  /// How members are admitted; nobody is reviewed if it is not set.
  public var memberAdmission_: GroupMemberAdmission { memberAdmission ?? GroupMemberAdmission() }
  /// Whether only owners and admins write.
  public var isChannel: Bool { publicGroup?.groupType == .channel }
}

extension User: NamedChat {
  /// The name of the profile.
  public var displayName: String { profile.displayName }
  /// The longer name of the profile.
  public var fullName: String { profile.fullName }
  /// The line of the profile.
  public var shortDescr: String? { profile.shortDescr }
  /// The image of the profile.
  public var image: String? { profile.image }
  /// Users have no alias.
  public var localAlias: String { "" }
  /// Whether the profile is shown only with its password.
  public var hidden: Bool { viewPwdHash != nil }
  /// Whether notifications are shown.
  public var showNotifications: Bool { activeUser || showNtfs }
  /// Whether contacts can see the user's address.
  public var addressShared: Bool { profile.contactLink != nil }
}

extension UserContactRequest: NamedChat {
  /// Identifies the request in user interfaces.
  public var id: ChatId { "<@\(contactRequestId)" }
  /// Database id.
  public var apiId: Int64 { contactRequestId }
  /// The name of the profile.
  public var displayName: String { profile.displayName }
  /// The longer name of the profile.
  public var fullName: String { profile.fullName }
  /// The line of the profile.
  public var shortDescr: String? { profile.shortDescr }
  /// The image of the profile.
  public var image: String? { profile.image }
  /// Requests have no alias.
  public var localAlias: String { "" }
}

extension NoteFolder: NamedChat {
  /// Identifies the notes in user interfaces.
  public var id: ChatId { "*\(noteFolderId)" }
  /// Database id.
  public var apiId: Int64 { noteFolderId }
  /// The same for all users.
  public var displayName: String { "Private notes" }
  /// Notes have one name only.
  public var fullName: String { "" }
  /// Notes have no description.
  public var shortDescr: String? { nil }
  /// Notes have no image.
  public var image: String? { nil }
  /// Notes have no alias.
  public var localAlias: String { "" }
}

extension PendingContactConnection: NamedChat {
  /// Identifies the connection in user interfaces.
  public var id: ChatId { ":\(pccConnId)" }
  /// Database id.
  public var apiId: Int64 { pccConnId }
  /// What the connection waits for.
  public var displayName: String {
    guard let initiated = pccConnStatus.initiated else { return "connected" }
    if viaContactUri { return "request to connect" }
    return initiated ? "invitation to connect" : "connecting…"
  }
  /// Connections have one name only.
  public var fullName: String { "" }
  /// Connections have no description.
  public var shortDescr: String? { nil }
  /// Connections have no image.
  public var image: String? { nil }
  /// Whether the user made the invitation.
  public var initiated: Bool { (pccConnStatus.initiated ?? false) && !viaContactUri }
  /// Whether a random profile is used.
  public var incognito: Bool { customUserProfileId != nil }
}

extension ConnStatus {
  /// Whether this side made the invitation; nil when it no longer matters.
  public var initiated: Bool? {
    switch self {
    case .new, .requested, .accepted: true
    case .prepared, .joined: false
    case .sndReady, .ready, .deleted, .failed: nil
    }
  }
}
