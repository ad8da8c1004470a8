import AgentCore
import AgentProtocol
import ChatAPI
import ChatStore
import WireCodec

/// A command for the agent that a turn stored. It may be given to the agent more than once: the agent recognizes
/// messages by the number of the command, and everything else by the identifier of its connection.
enum AgentCommand: Sendable {
  /// Sends the command's body as a message, after the receipts that are owed if the peer may delete the connection when
  /// it receives it.
  case send(notify: Bool, pq: Bool, receiptsFirst: Bool)
  /// Deletes the connection: at once, or after its messages are delivered.
  case delete(waitForDelivery: Bool)
  /// Accepts the confirmation of a peer, which gets this information.
  case allow(ConfirmationID, info: [UInt8])
  /// Accepts a request to an address with the connection.
  case accept(user: UserID, InvitationID, pq: Bool, info: [UInt8])
  /// Joins by a link with the connection.
  case join(user: UserID, request: String, pq: Bool = true, info: [UInt8])
  /// Creates the connection as an invitation, as members of groups connect.
  case create(user: UserID, pq: Bool)
  /// Rejects a request to an address.
  case reject(InvitationID)
  /// Switches push notifications for the connection on or off.
  case setNotifications(Bool)
  /// Stores this content as the data of the short link of an address or group.
  case setLinkData([UInt8])
  /// Stores this content as the data of the short link of an invitation.
  case setInvitationData([UInt8])
  /// Deletes a user with all connections.
  case deleteUser(UserID, deletingQueues: Bool)
  /// Does something with a file.
  case file(FileCommand)

  // The numbers are stored. 3, 4, 8 and 9 are those of `HandshakeCommand`.
  private static let sendKind = 1
  private static let deleteKind = 2
  private static let rejectKind = 5
  private static let deleteUserKind = 6
  private static let notificationsKind = 7
  private static let linkDataKind = 10
  private static let fileKind = UploadCommand.kind
  /// The number of ``setInvitationData(_:)``.
  static let invitationDataKind = 12
  // A kind of its own, so that the payload of the first kind stays as it is stored.
  private static let sendAfterReceiptsKind = 13

  /// The kinds whose outcome comes as an event. They stay stored until then, so that what follows from them happens
  /// once.
  static let joiningKinds = HandshakeCommand.joiningKinds

  private static let flags = Codec<Bool>.bool.pair(.bool, separator: "")
  private static let deletedUser = Codec<Int64>.integer.pair(.bool, separator: "")

  /// The command as it is stored.
  func stored() throws(StoreError) -> (kind: Int, payload: [UInt8]) {
    do throws(WireError) {
      return switch self {
      case .send(let notify, let pq, let receiptsFirst):
        (receiptsFirst ? Self.sendAfterReceiptsKind : Self.sendKind, try Self.flags.encode((notify, pq)))
      case .delete(let wait): (Self.deleteKind, try Codec<Bool>.bool.encode(wait))
      case .allow(let id, let info): try HandshakeCommand.allow(confirmation: id.bytes, info: info).stored()
      case .accept(let user, let id, let pq, let info):
        try HandshakeCommand.accept(user: user.rawValue, invitation: id.bytes, pq: pq, info: info).stored()
      case .join(let user, let request, let pq, let info):
        try HandshakeCommand.join(user: user.rawValue, request: request, pq: pq, info: info).stored()
      case .create(let user, let pq): try HandshakeCommand.create(user: user.rawValue, pq: pq).stored()
      case .reject(let id): (Self.rejectKind, id.bytes)
      case .setNotifications(let isOn): (Self.notificationsKind, try Codec<Bool>.bool.encode(isOn))
      case .setLinkData(let content): (Self.linkDataKind, content)
      case .setInvitationData(let content): (Self.invitationDataKind, content)
      case .deleteUser(let user, let queues):
        (Self.deleteUserKind, try Self.deletedUser.encode((user.rawValue, queues)))
      case .file(let command): (Self.fileKind, command.jsonBytes())
      }
    } catch {
      throw .internalError(message: "command for the agent: \(error)")
    }
  }

  /// The command as it was stored; nil where it is damaged or of another version.
  init?(_ stored: StoredAgentCommand) {
    let payload = stored.payload
    do throws(WireError) {
      switch stored.kind {
      case Self.sendKind, Self.sendAfterReceiptsKind:
        let (notify, pq) = try Self.flags.decode(payload)
        self = .send(notify: notify, pq: pq, receiptsFirst: stored.kind == Self.sendAfterReceiptsKind)
      case Self.deleteKind: self = .delete(waitForDelivery: try Codec<Bool>.bool.decode(payload))
      case Self.rejectKind: self = .reject(InvitationID(payload))
      case Self.notificationsKind: self = .setNotifications(try Codec<Bool>.bool.decode(payload))
      case Self.linkDataKind: self = .setLinkData(payload)
      case Self.invitationDataKind: self = .setInvitationData(payload)
      case Self.deleteUserKind:
        let (user, queues) = try Self.deletedUser.decode(payload)
        self = .deleteUser(UserID(rawValue: user), deletingQueues: queues)
      case Self.fileKind:
        guard let command = try? FileCommand(jsonBytes: payload) else { return nil }
        self = .file(command)
      default:
        guard let command = try HandshakeCommand(kind: stored.kind, payload: payload) else { return nil }
        self.init(command)
      }
    } catch {
      return nil
    }
  }

  private init(_ command: HandshakeCommand) {
    switch command {
    case .allow(let confirmation, let info): self = .allow(ConfirmationID(confirmation), info: info)
    case .accept(let user, let invitation, let pq, let info):
      self = .accept(user: UserID(rawValue: user), InvitationID(invitation), pq: pq, info: info)
    case .join(let user, let request, let pq, let info):
      self = .join(user: UserID(rawValue: user), request: request, pq: pq, info: info)
    case .create(let user, let pq): self = .create(user: UserID(rawValue: user), pq: pq)
    }
  }
}
