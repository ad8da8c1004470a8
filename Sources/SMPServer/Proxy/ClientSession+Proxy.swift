import SMPProtocol
import SMPServerCore

/// The commands of one client that are under way to other relays, and those that wait for that.
struct ForwardingQueue {
  typealias Work = @Sendable () async -> Void

  private let limit: Int
  private var running = 0
  private var waiting: [Work] = []

  /// A queue that lets so many commands be under way.
  init(limit: Int) { self.limit = max(1, limit) }

  /// Whether the next command would have to wait.
  var isFull: Bool { running >= limit }

  /// Adds a command; gives what to begin now.
  mutating func add(_ work: @escaping Work) -> Work? {
    guard isFull else {
      running += 1
      return work
    }
    waiting.append(work)
    return nil
  }

  /// A command was answered; gives what to begin now.
  mutating func finished() -> Work? {
    guard !waiting.isEmpty else {
      running -= 1
      return nil
    }
    return waiting.removeFirst()
  }
}

extension ClientSession {
  /// Answers PRXY, as soon as the other relay is connected.
  func openProxySession(_ request: ProxyRequest, _ origin: Origin<Client>) {
    guard let proxy = relay.proxy else { return origin.reply(.err(.PROXY(proxyErr: .BASIC_AUTH))) }
    begin { origin.reply(await proxy.openSession(request)) }
  }

  /// Answers PFWD, as soon as the other relay did.
  func forward(_ request: ForwardRequest, _ origin: Origin<Client>) {
    guard let proxy = relay.proxy else { return origin.reply(.err(.PROXY(proxyErr: .NO_SESSION))) }
    let session = SessionID(origin.entity.bytes)
    begin { origin.reply(await proxy.forward(request, session: session, correlation: origin.correlation)) }
  }

  private func begin(_ work: @escaping ForwardingQueue.Work) {
    if let work = forwarding.add(work) { run(work) }
  }

  /// Commands that are under way when the client goes are not called back: the other relay may have carried them out,
  /// and each ends with its answer or its time limit.
  private func run(_ work: @escaping ForwardingQueue.Work) {
    Task {
      await work()
      connection.perform { self.workFinished() }
    }
  }

  private func workFinished() {
    if let next = forwarding.finished() { run(next) }
    resumeReadingIfIdle()
  }
}
