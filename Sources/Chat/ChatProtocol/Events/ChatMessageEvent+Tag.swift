extension ChatMessageEvent {
  /// The tag that names the event on the wire.
  public var tag: String {
    switch self {
    case .msgNew: "x.msg.new"
    case .msgFileDescr: "x.msg.file.descr"
    case .msgUpdate: "x.msg.update"
    case .msgDel: "x.msg.del"
    case .msgDeleted: "x.msg.deleted"
    case .msgReact: "x.msg.react"
    case .file: "x.file"
    case .fileAcpt: "x.file.acpt"
    case .fileAcptInv: "x.file.acpt.inv"
    case .fileCancel: "x.file.cancel"
    case .info: "x.info"
    case .contact: "x.contact"
    case .member: "x.member"
    case .directDel: "x.direct.del"
    case .infoProbe: "x.info.probe"
    case .infoProbeCheck: "x.info.probe.check"
    case .infoProbeOk: "x.info.probe.ok"
    case .ok: "x.ok"
    case .grpInv: "x.grp.inv"
    case .grpAcpt: "x.grp.acpt"
    case .grpLinkInv: "x.grp.link.inv"
    case .grpLinkReject: "x.grp.link.reject"
    case .grpLinkMem: "x.grp.link.mem"
    case .grpLinkAcpt: "x.grp.link.acpt"
    case .grpRelayInv: "x.grp.relay.inv"
    case .grpRelayAcpt: "x.grp.relay.acpt"
    case .grpRelayReject: "x.grp.relay.reject"
    case .grpRelayCap: "x.grp.relay.cap"
    case .grpRelayNew: "x.grp.relay.new"
    case .grpRelayTest: "x.grp.relay.test"
    case .grpMemNew: "x.grp.mem.new"
    case .grpMemIntro: "x.grp.mem.intro"
    case .grpMemInv: "x.grp.mem.inv"
    case .grpMemFwd: "x.grp.mem.fwd"
    case .grpMemInfo: "x.grp.mem.info"
    case .grpMemRole: "x.grp.mem.role"
    case .grpMemRestrict: "x.grp.mem.restrict"
    case .grpMemCon: "x.grp.mem.con"
    case .grpMemConAll: "x.grp.mem.con.all"
    case .grpMemDel: "x.grp.mem.del"
    case .grpDirectInv: "x.grp.direct.inv"
    case .grpLeave: "x.grp.leave"
    case .grpDel: "x.grp.del"
    case .grpRoster: "x.grp.roster"
    case .grpRosterAck: "x.grp.roster.ack"
    case .grpRosterRequest: "x.grp.roster.request"
    case .grpInfo: "x.grp.info"
    case .grpPrefs: "x.grp.prefs"
    case .grpMsgForward: "x.grp.msg.forward"
    case .callInv: "x.call.inv"
    case .callOffer: "x.call.offer"
    case .callAnswer: "x.call.answer"
    case .callExtra: "x.call.extra"
    case .callEnd: "x.call.end"
    case .unknown(let tag, _): tag
    }
  }

  /// Whether the receiver's device is to be woken, as for events that a notification shows.
  public var hasNotification: Bool {
    switch self {
    case .msgNew, .file, .contact, .grpInv, .grpMemFwd, .grpDel, .callInv: true
    default: false
    }
  }

  /// Whether the receiver is asked for a receipt.
  public var hasDeliveryReceipt: Bool {
    switch self {
    case .msgNew, .grpInv, .callInv: true
    default: false
    }
  }

  /// Whether it has to be signed by its author in groups with relays.
  public var requiresSignature: Bool {
    switch self {
    case .grpDel, .grpInfo, .grpPrefs, .grpMemDel, .grpMemRole, .grpMemRestrict, .grpLeave, .grpRelayNew,
      .grpRoster, .info:
      true
    default: false
    }
  }

  /// Whether the host forwards it to members who are not connected with the author.
  public var isForwarded: Bool {
    switch self {
    case .msgNew(let message): message.file?.fileInline == nil
    case .msgFileDescr, .msgUpdate, .msgDel, .msgReact, .fileCancel, .info, .grpMemNew, .grpMemRole, .grpMemRestrict,
      .grpMemDel, .grpLeave, .grpDel, .grpInfo, .grpPrefs, .grpRelayNew, .grpRoster:
      true
    default: false
    }
  }
}
