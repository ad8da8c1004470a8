import XFTPProtocol
import AgentProtocol
import DoubleRatchet
import SMPClientCore
import SMPProtocol
import WireCodec

/// A relay of a user.
public struct AgentUserServer: Hashable, Sendable {
  /// Its address, with its password.
  public var address: ServerWithAuth<SMPScheme>
  /// Whether queues are created there.
  public var storesMessages: Bool
  /// Whether messages are sent through it.
  public var forwardsMessages: Bool

  /// A relay for both purposes unless said otherwise.
  public init(_ address: ServerWithAuth<SMPScheme>, storesMessages: Bool = true, forwardsMessages: Bool = true) {
    self.address = address
    self.storesMessages = storesMessages
    self.forwardsMessages = forwardsMessages
  }
}

/// The configuration of the agent. Times are in milliseconds.
public struct AgentConfiguration: Sendable {
  /// Which commands share a connection to a relay.
  public enum Isolation: Hashable, Sendable {
    /// Those of a user.
    case perUser
    /// Those of a connection.
    case perConnection
  }

  /// When messages are sent through another relay.
  public enum ProxyMode: Hashable, Sendable {
    case always
    /// To relays that are not the user's own.
    case unknown
    /// To relays that are not the user's own, while there is no SOCKS proxy to hide the address.
    case unprotected
    case never
  }

  /// Versions of the agent protocol.
  public var agentVersions = AgentVersion.supported
  /// Versions of the ratchet.
  public var e2eVersions = E2EVersion.supported
  /// Versions of what is put into queues.
  public var clientVersions = SMPClientVersion.supported
  /// Which commands share a connection to a relay.
  public var isolation = Isolation.perUser
  /// When messages are sent through another relay.
  public var proxyMode = ProxyMode.never
  /// Whether a message that cannot be forwarded may be sent directly.
  public var proxyFallback = true
  /// Whether relays cannot see the address anyway, because there is a SOCKS proxy.
  public var isAddressHidden = false
  /// The relays of all users at first, for short links without host.
  public var presetServers: [SMPServerAddress] = []
  /// Waiting between attempts at a relay that cannot be reached.
  public var retry = Backoff.Policy(initial: 2_000, limit: 60_000)
  /// Waiting between attempts at a full queue. Its recipient says when it continues, usually just before the relay
  /// knows: the attempt that follows may still be refused, so the first ones are close to each other. Requests to an
  /// address in the background are retried in the same way, without an end.
  public var quotaRetry = Backoff.Policy(initial: 3_000, limit: 2 * 3_600_000)
  /// The time for which a message is retried before it fails.
  public var messageTimeout: Int64 = 2 * 86_400_000
  /// The time for which a message to a full queue is retried before it fails.
  public var quotaTimeout: Int64 = 7 * 86_400_000
  /// A connection that is deleted after its messages were sent is deleted in any case after so long.
  public var deleteDeliveryTimeout: Int64 = 2 * 86_400_000
  /// Waiting between looks at a replaced queue that still has messages.
  public var drainRetry = Backoff.Policy(initial: 1_000, limit: 60_000)
  /// After this number of checks it is deleted in any case.
  public var drainAttempts: Int64 = 20
  /// A queue is forgotten after this number of failed deletions.
  public var deleteAttempts: Int64 = 10
  /// The time for which sent messages are remembered, for receipts.
  public var sentMessageRetention: Int64 = 21 * 86_400_000
  /// The time for which stored rows that cannot be read are kept after they were set aside.
  public var unreadableRetention: Int64 = 30 * 86_400_000
  /// A message is set aside after this number of deliveries without an acknowledgement of the application …
  public var receiveAttempts: Int64 = 8
  /// … over at least this time.
  public var receiveExpiry: Int64 = 86_400_000
  /// The batch delay of receipts: the first goes at once, those of one connection within this time go in one message.
  public var receiptDelay: Int64 = 100
  /// The longest time without a running agent that counts for the expiry of messages and files, in milliseconds. A
  /// longer one is not trusted, because the clock may be wrong at the start: retries come before expiry.
  public var longestAbsence: Int64 = 86_400_000
  /// The interval of maintenance: expired rows are removed, and stalled connections are detected.
  public var maintenanceInterval: Int64 = 5 * 60_000
  /// An outbox that did not move for so long, while its relay was connected, is reported.
  public var stuckOutbox: Int64 = 10 * 60_000
  /// The minimum interval between automatic renegotiations of a ratchet that can decrypt nothing; 0 for never.
  public var ratchetRepairInterval: Int64 = 3_600_000
  /// The maximum number of renegotiations of a connection's ratchet that its peer may start in a day. Each of them is
  /// answered with a message of 16 KB.
  public var ratchetKeysPerDay: Int64 = 100
  /// The maximum number of tasks in flight; the others wait, which bounds the memory of messages to send.
  public var flightLimit = 256
  /// The maximum number of tasks in flight to one relay, so that one that does not answer cannot keep all of them.
  public var flightsPerRelay = 64
  /// The number of tasks of one relay that start even if those of other relays use up the limit.
  public var reservedFlights = 4
  /// The number of relays that are tried for a new queue before creating it fails or is retried later.
  public var creationRelays = 3
  /// A queue that was not heard of for so long is asked about: its relay may have forgotten who is subscribed.
  public var silentQueue: Int64 = 6 * 3_600_000
  /// About how many queues is asked at a time.
  public var silentQueueBatch = 32
  /// The number of queues that one effect subscribes.
  public var subscriptionBatch = 1_350

  /// The notification servers; a device that is registered anew takes one of them at random.
  public var notificationServers: [NotificationServer] = []
  /// Waiting between attempts at a notification server, and between attempts to subscribe a queue for pushes.
  public var notificationRetry = Backoff.Policy(initial: 2_000, limit: 3_600_000)
  /// A notification server that could not be used for so long is replaced by another one, if there is one.
  public var notificationServerTimeout: Int64 = 3 * 86_400_000
  /// The deletion of a token at its notification server is given up after this time.
  public var tokenDeletionTimeout: Int64 = 21 * 86_400_000
  /// The number of queues that are subscribed for pushes at a time: with the notification server, and with each relay.
  public var notificationBatch = 150

  /// Waiting between attempts to transfer a chunk of a file.
  public var fileRetry = Backoff.Policy(initial: 2_000, limit: 60_000)
  /// After this number of failures in sequence another relay is chosen for a chunk to upload, if there is one, and a
  /// chunk that arrives damaged is given up.
  public var fileAttempts: Int64 = 3
  /// The time after which sending a file is given up.
  public var sentFileTimeout: Int64 = 86_400_000
  /// The time after which receiving a file, or deleting it at relays, is given up.
  public var receivedFileTimeout = ChunkLifetime.seconds * 1_000
  /// The number of chunks that are transferred at once, in each direction: with one relay, and with all. Relays with
  /// which nothing is transferred begin one beyond that, up to as many again. To one relay chunks are uploaded one
  /// after the other.
  public var chunksPerRelay = 4, chunksAtOnce = 8

  /// The usual values.
  public init() {}
}
