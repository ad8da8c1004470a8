import QueueStore
import SMPProtocol
import SMPServerCore

/// The commands of one connection that wait for the store to read, in order, and what executed ones have to read.
///
/// **Governs** when a connection reads, and what is done with the answers. A command on a queue whose record is in
/// memory is executed at once and reads nothing, unless one before it waits. Otherwise it waits, and so do all that
/// follow it: the commands of a connection are executed in order. One read of the store, with a bounded number of
/// commands, is in flight for a connection; the event loop serves others meanwhile. Its answers are used on the event
/// loop. A client that subscribes to thousands of queues would wait for the store and for its signatures in turn: while
/// the answers to one read are used, the next one may be in flight (read ahead).
///
/// **Does not govern** time slices, and the back-pressure of the connection (``ClientSession``): its commands that wait
/// pause it as those that wait for a time slice do.
///
/// What is read may be outdated when it is used. Why that does no harm:
///
/// - *Records.* A record is used under the lock of its queue's shard, if ``RelayStore/isCurrent(_:)`` holds there; the
///   queue is read again otherwise. A change of a record is announced to `isCurrent` before its completion. So where a
///   change and a command on the queue meet, either the command sees the change (a deleted queue is not found, a
///   suspended one refuses, a replaced key does not open it), or it comes before the answer to the change, as if it had
///   arrived earlier. Completions that concern subscriptions (of a deletion, of a change of the notifier or the
///   service) need the same lock, and see the subscription that such a command made. The same holds for cached records.
/// - *Refusals* are decided without the lock, by the record as it was at some time since the command arrived. So are
///   LGET and QUE, which change nothing.
/// - *Absence.* An identifier is known to clients after its queue is stored, and is never used again; so a queue that a
///   read did not find was not there yet, or is gone.
/// - *First messages* are read after the shard has noted that the lookup is in flight, never together with the record.
///   Its rules (see ``SMPServerCore/QueueShard``) then hold however long the read takes: the answer is ignored if an
///   acknowledgement or another subscription came in between, and what was stored meanwhile and not found is looked for
///   again. So nothing is delivered twice and nothing is skipped. A further command of the connection on that queue
///   waits for the answer: an ACK that follows a SUB finds what the SUB delivered.
/// - *A message read for GET* may be acknowledged by another connection meanwhile: both got it before.
/// - *Closing.* Commands that wait are dropped with the connection, as those are that wait for a time slice: none of
///   them was answered. Closing removes the subscription of an executed SUB, so the answer to its read finds none.
///
/// **Equal time.** A command that is refused takes as long whether its queue exists or not, so that nobody learns
/// which identifiers are in use. Where there is no queue, and where it is not cached, commands are read first, up to
/// ``limit`` together, and then checked; where it is cached, the first refused one is checked before, and it is read
/// with all that follow before it is refused. Both take one read of as many queues and as many checks; identifiers
/// that occur twice are read twice. What follows a refused command waits for its answer in both cases, whatever it
/// needs, so the order of answers tells nothing either. A connection with many refused commands uses no cached
/// records (``ClientSession/usesCache``). Commands are read ahead only while those that wait before them are
/// executed, so that they are read whether they are cached or not, only after ``limit`` commands of the connection
/// were admitted in a row, and only when the first of those that waited was executed: if it was refused, it was the
/// last of these. So no read begins because a refused command waits, where one of a cached queue would not wait.
struct CommandQueue {
  /// The number of commands that are sent to the store together, and of reads of executed ones. Each may be answered
  /// with a message.
  static let limit = 16

  /// What is sent to the store together; reads of executed commands precede commands that wait.
  private struct Batch {
    var reads: ArraySlice<RelayRead> = []
    var commands: ArraySlice<QueueCommand> = []
    /// The answers that are not used yet.
    var answers = StoreAnswers()
    /// The time that the store took for each.
    var timeOfEachRead = Duration.zero
    /// The memory for the answers, until they are used.
    var room: EventLoopShares.Room?

    var isEmpty: Bool { reads.isEmpty && commands.isEmpty }

    /// Whether a command waits to be refused.
    var refuses: Bool { reads.contains { if case .refusal = $0 { true } else { false } } }

    /// Whether it reads the first message of a queue.
    func readsFirst(of queue: QueueNumber) -> Bool {
      reads.contains { if case .first(let reading) = $0 { reading.queue == queue } else { false } }
    }
  }

  /// What is done next with the answers.
  enum Step {
    case read(RelayRead)
    /// A command whose queue was read.
    case command(QueueCommand)
  }

  /// What is not sent to the store yet.
  private var next = Batch()
  /// What was sent to it; answered where nothing is being read, and then used after `present`.
  private var sent = Batch()
  /// What is being used. Its commands precede all others.
  private var present = Batch()
  /// Whether a command of `present` was executed.
  private var hasExecuted = false
  private(set) var isReading = false

  /// Whether nothing waits.
  var isEmpty: Bool { present.isEmpty && sent.isEmpty && next.isEmpty }

  /// Whether a read is due before further commands are looked at.
  var isFull: Bool { next.reads.count + next.commands.count >= Self.limit }

  /// Whether there are answers to use.
  var hasAnswers: Bool { !present.isEmpty || !isReading && !sent.isEmpty }

  /// Whether further commands may be read while those whose queues were read are executed. What is added then follows
  /// all of them.
  var canReadAhead: Bool {
    hasExecuted && !isReading && sent.isEmpty && next.commands.isEmpty && !present.commands.isEmpty
  }

  /// Whether a command about a queue has to wait, because one before it does, or reads something of that queue.
  func delays(_ queue: QueueNumber?) -> Bool {
    guard next.commands.isEmpty, !next.refuses else { return true }
    guard let queue else { return false }
    return next.readsFirst(of: queue) || sent.readsFirst(of: queue)
  }

  /// Has a command wait for its queue to be read.
  mutating func add(_ command: QueueCommand) { next.commands.append(command) }

  /// Adds what an executed command has to read.
  mutating func add(_ reads: [RelayRead]) { if !reads.isEmpty { next.reads += reads } }

  /// Begins the next read; nil where nothing waits for it, or where the answers to the last one are still being used
  /// and it is not `ahead`. The sizes are about the memory in bytes that it takes until it is answered, and the most
  /// that its answers take.
  mutating func startReading(ahead: Bool) -> (reads: [StoreRead], size: Int, answerSize: Int)? {
    guard !isReading, sent.isEmpty, ahead || present.isEmpty, !next.isEmpty else { return nil }
    sent = next
    next = Batch()
    isReading = true
    var reads: [StoreRead] = []
    var size = 0
    for read in sent.reads {
      read.append(to: &reads)
      size += 1_024
    }
    for command in sent.commands {
      if let key = command.key { reads.append(.queue(key)) }
      size += command.waitingSize
    }
    return (reads, size, reads.reduce(0) { $0 + $1.answerSize })
  }

  /// Has the answers that are there take the memory of another run queue, in which the connection waits to use them.
  func moveRooms(to queue: EventLoopShares.RunQueue) {
    present.room?.move(to: queue)
    sent.room?.move(to: queue)
  }

  /// The read was answered; the store took `time` for it, and the answers take `room`.
  mutating func finishReading(_ answers: [StoreAnswer], time: Duration, room: EventLoopShares.Room?) {
    isReading = false
    sent.room = room
    sent.timeOfEachRead = time / max(1, answers.count)
    sent.answers = StoreAnswers(answers)
  }

  /// The next step with the answers; nil where there is none.
  mutating func nextStep() -> Step? {
    guard hasAnswers else { return nil }
    if present.isEmpty {
      present = sent
      sent = Batch()
      hasExecuted = false
    }
    if let read = present.reads.popFirst() { return .read(read) }
    guard let command = present.commands.popFirst() else { return nil }
    hasExecuted = true
    return .command(command)
  }

  /// The time that the store took for what the step needed.
  var timeOfRead: Duration { present.timeOfEachRead }

  /// The answer for the command of the step.
  mutating func nextAnswer() -> StoreAnswer { present.answers.next() }

  /// Removes the answers, for the read of the step; they are put back with ``add(_:rest:)``.
  mutating func takeAnswers() -> StoreAnswers {
    defer { present.answers = StoreAnswers() }
    return present.answers
  }

  /// Puts the answers back, and adds what has to be read because of those that were used.
  mutating func add(_ reads: [RelayRead], rest: StoreAnswers) {
    present.answers = rest
    add(reads)
  }

  /// Releases the memory of answers that were used. Called when a time slice ends.
  mutating func releaseUsed() { if present.isEmpty { present = Batch() } }
}
