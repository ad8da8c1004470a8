import QueueStore
import SMPProtocol
import SMPServerCore
import WireCodec

/// Something that a command reads after it was admitted, and what it is answered with.
enum RelayRead: Sendable {
  /// The first message of a queue, for its shard.
  case first(FirstReading<Client>)
  /// The link data of a queue, for LGET and LKEY.
  indirect case link(QueueRecord, Origin<Client>)
  /// What QUE describes: the queue, and the client's subscription of it.
  indirect case description(QueueRecord, QSub?, Origin<Client>)
  /// A queue that is not needed: its command was refused with a record from the cache, and takes as long as one that
  /// had to be read. It counts as refused work, of the kind that `isForwarded` says.
  indirect case refusal(QueueKey, ProtocolErrorType, Origin<Client>, isForwarded: Bool)

  /// Appends the reads of the store.
  func append(to reads: inout [StoreRead]) {
    switch self {
    case .first(let reading): reads.append(.firstMessage(reading.queue))
    case .link(let queue, _): reads.append(.linkData(queue.number))
    case .description(let queue, _, _):
      reads.append(.messageCount(queue.number))
      reads.append(.firstMessage(queue.number))
    case .refusal(let key, _, _, _): reads.append(.queue(key))
    }
  }
}

extension StoreRead {
  /// About the most memory in bytes that its answer takes.
  var answerSize: Int {
    switch self {
    case .queue: 2_048
    case .firstMessage, .linkData: 17_000
    case .messageCount, .counts, .queues: 256
    }
  }
}

/// The answers to several reads, taken in order.
struct StoreAnswers: Sendable {
  private var rest: ArraySlice<StoreAnswer>

  init(_ answers: [StoreAnswer] = []) { rest = answers[...] }

  /// The next answer.
  mutating func next() -> StoreAnswer { rest.popFirst() ?? .failed(.other("no answer")) }
}

extension Relay {
  /// Reads, and answers; from any thread. What is read because of that is read then.
  func read(_ reads: [RelayRead]) {
    guard !reads.isEmpty else { return }
    store.read(Self.storeReads(of: reads)) { answers, _ in self.read(self.finish(reads, answers)) }
  }

  /// The same; returns when everything is answered.
  func readAll(_ reads: [RelayRead]) async {
    var reads = reads
    while !reads.isEmpty { reads = finish(reads, await store.read(Self.storeReads(of: reads))) }
  }

  /// Reads again the first messages that could not be read, a few at a time.
  func readAgain() async {
    for effects in withShards({ $0.readAgain() }) {
      var reads: [RelayRead] = []
      for case .readFirst(let reading) in effects { reads.append(.first(reading)) }
      for start in stride(from: 0, to: reads.count, by: CommandQueue.limit) {
        await readAll(Array(reads[start..<min(start + CommandQueue.limit, reads.count)]))
      }
    }
  }

  private static func storeReads(of reads: [RelayRead]) -> [StoreRead] {
    var storeReads: [StoreRead] = []
    for read in reads { read.append(to: &storeReads) }
    return storeReads
  }

  private func finish(_ reads: [RelayRead], _ answers: [StoreAnswer]) -> [RelayRead] {
    var answers = StoreAnswers(answers)
    var next: [RelayRead] = []
    for read in reads { finish(read, &answers, reads: &next) }
    return next
  }

  /// Answers what was read; `reads` receives what has to be read because of that.
  func finish(_ read: RelayRead, _ answers: inout StoreAnswers, reads: inout [RelayRead]) {
    switch read {
    case .first(let reading):
      let message = answers.next().firstMessage
      _ = update(reading.queue, reads: &reads) { $0.firstRead(message, reading) }
    case .link(let queue, let origin):
      switch answers.next().linkData {
      case .success(let data?):
        origin.session.target.send(
          Response(
            origin.correlation, about: origin.entity,
            .link(data, of: queue.number, sender: EntityID(queue.senderID))))
      case .success(nil): origin.reply(.err(.AUTH))
      case .failure(let failure): origin.reply(.err(ProtocolErrorType(failure)))
      }
    case .description(let queue, let subscription, let origin):
      switch (answers.next().messageCount, answers.next().firstMessage) {
      case (.success(let count), .success(let message)):
        origin.reply(
          .info(
            QueueInfo(
              qiSnd: queue.senderKey != nil, qiNtf: queue.notifier != nil, qiSub: subscription, qiSize: count,
              qiMsg: message.flatMap(MsgInfo.init))))
      case (.failure(let failure), _), (_, .failure(let failure)): origin.reply(.err(ProtocolErrorType(failure)))
      }
    case .refusal(_, let error, let origin, _):
      _ = answers.next()
      origin.reply(.err(error))
    }
  }
}

extension MsgInfo {
  fileprivate init?(_ message: QueuedMessage) {
    guard let time = UTCTime(seconds: message.timestamp) else { return nil }
    self.init(
      msgId: MessageID(message.id).description, msgTs: time,
      msgType: message.content == .quotaExceeded ? .quota : .message)
  }
}
