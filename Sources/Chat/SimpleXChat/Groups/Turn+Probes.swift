import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import SimplexCrypto

// Finding out that a contact and a member of a group are the same person. A secret is sent to the one, and its hash to
// those of the other kind whose profiles look the same; who knows both answers. Everybody is sent a secret, so that
// nothing follows from getting one.

extension Turn {
  /// Sends a probe to somebody who connected just now, and asks those who may be the same person.
  func probe(_ person: ContactOrMember, of user: User) throws {
    var random = SystemRandom()
    let probe = Probe(random: random.bytes(32))
    try send(.infoProbe(probe), to: person)
    guard environment.mergesContacts, !person.isIncognito else { return }
    let candidates: [ContactOrMember]
    switch person {
    case .contact(let contact): candidates = try rows.members(like: contact.profile, of: user)
    case .member(let member, _):
      guard member.memberContactId == nil else { return }
      candidates = try rows.contacts(like: member.memberProfile, of: user)
    }
    guard !candidates.isEmpty else { return }
    let id = try rows.addSentProbe(probe.text, to: person, of: user)
    for candidate in candidates where try send(.infoProbeCheck(ProbeHash(of: probe)), to: candidate) {
      try rows.addAsked(candidate, probe: id)
    }
  }

  /// Handles a probe, the hash of one, or the answer to a hash. Other events are none of these.
  func handleProbe(_ event: ChatMessageEvent, from sender: ContactOrMember, of user: User) throws {
    guard environment.mergesContacts, !sender.isIncognito else { return }
    switch event {
    case .infoProbe, .infoProbeCheck:
      guard try isWithinBudget(.probes, of: user) else { return }
    default: break
    }
    switch event {
    case .infoProbe(let probe):
      let hash = ProbeHash(of: probe).text
      for (person, probe) in try rows.receive(probe: probe.text, hash: hash, from: sender, of: user) {
        try matched(asked: person, known: sender, probe: probe, of: user)
      }
    case .infoProbeCheck(let hash):
      if let (person, probe) = try rows.receive(probe: nil, hash: hash.text, from: sender, of: user).first {
        try matched(asked: sender, known: person, probe: probe, of: user)
      }
    case .infoProbeOk(let probe):
      guard let person = try rows.recipient(ofProbe: probe.text, knownBy: sender, of: user) else { return }
      try merge(sender, person, of: user)
    default: break
    }
  }

  /// Merges the peer who sent the hash with the one who sent the probe, if one is a contact, the other a member, and
  /// their profiles match.
  private func matched(
    asked: ContactOrMember, known: ContactOrMember, probe: String, of user: User
  ) throws {
    guard let probe = Probe(text: probe), Self.mergeablePair(asked, known) != nil,
      try send(.infoProbeOk(probe), to: asked)
    else { return }
    try merge(asked, known, of: user)
  }

  /// The contact and the member, if they may still be the same person: both are there, know the user by the main
  /// profile, and show the same profile, and the member is no contact yet. All may have changed since a probe was sent.
  private static func mergeablePair(
    _ one: ContactOrMember, _ other: ContactOrMember
  ) -> (contact: Contact, member: GroupMember)? {
    switch (one, other) {
    case (.contact(let contact), .member(let member, _)), (.member(let member, _), .contact(let contact)):
      guard !one.isIncognito, !other.isIncognito, contact.contactStatus == .active, member.memberContactId == nil,
        member.memberCurrent, contact.profile.looksLike(member.memberProfile)
      else { return nil }
      return (contact, member)
    default: return nil
    }
  }

  /// Merges a contact and a member. The name with the lower number stays.
  private func merge(_ one: ContactOrMember, _ other: ContactOrMember, of user: User) throws {
    guard let (contact, member) = Self.mergeablePair(one, other),
      let contactNumber = contact.localDisplayName.number(after: contact.profile.displayName),
      let memberNumber = member.localDisplayName.number(after: contact.profile.displayName),
      contactNumber != memberNumber
    else { return }
    var updated = contact
    if contactNumber < memberNumber {
      try rows.associate(member, withContact: contact, of: user)
    } else {
      updated = try rows.associate(contact, withMember: member, of: user)
    }
    emit(
      .contactAndMemberAssociated(
        user: user, contact: contact, groupInfo: try rows.group(member.groupId, of: user), member: member,
        updatedContact: updated))
  }

  /// Sends an event to a contact or a member; false where nothing can be sent to it.
  @discardableResult
  private func send(_ event: ChatMessageEvent, to person: ContactOrMember) throws -> Bool {
    switch person {
    case .contact(let contact):
      guard (try? contact.sendingConnection()) != nil else { return false }
      try send(event, to: contact)
    case .member(let member, _):
      guard let connection = member.sendingConnection else { return false }
      try send([event], over: connection)
    }
    return true
  }
}

extension LocalProfile {
  /// Whether two profiles show the same.
  fileprivate func looksLike(_ other: LocalProfile) -> Bool {
    displayName == other.displayName && fullName == other.fullName && shortDescr == other.shortDescr
      && image == other.image
  }
}

extension String {
  /// The number of a name that was made unique: 0 for the name itself, 2 for `name_2`.
  fileprivate func number(after name: String) -> Int? {
    if self == name { return 0 }
    guard hasPrefix(name + "_") else { return nil }
    return Int(dropFirst(name.count + 1))
  }
}
