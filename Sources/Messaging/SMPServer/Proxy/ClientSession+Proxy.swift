import SMPProtocol
import SMPServerCore

/// The forwarded commands of one client: those in flight, and those that wait.
struct ForwardingQueue {
  typealias Work = @Sendable () async -> Void

  private let limit: Int
  private var running = 0
  private var waiting: [Work] = []

  /// A queue with this limit of commands in flight.
  init(limit: Int) { self.limit = max(1, limit) }

  /// Whether the next command would have to wait.
  var isFull: Bool { running >= limit }

  /// Adds a command; returns the ones to start now.
  mutating func add(_ work: @escaping Work) -> Work? {
    guard isFull else {
      running += 1
      return work
    }
    waiting.append(work)
    return nil
  }

  /// A command was answered; returns the ones to start now.
  mutating func finished() -> Work? {
    guard !waiting.isEmpty else {
      running -= 1
      return nil
    }
    return waiting.removeFirst()
  }
}

extension ClientSession {
  /// Answers PRXY when the other relay is connected.
  func openProxySession(_ request: ProxyRequest, _ origin: Origin<Client>) {
    guard let proxy = relay.proxy else { return origin.reply(.err(.PROXY(proxyErr: .BASIC_AUTH))) }
    let password = relay.configuration.basicAuth
    begin { origin.reply(await proxy.openSession(request, password: password)) }
  }

  /// Answers PFWD when the other relay has answered.
  func forward(_ request: ForwardRequest, _ origin: Origin<Client>) {
    guard let proxy = relay.proxy else { return origin.reply(.err(.PROXY(proxyErr: .NO_SESSION))) }
    let session = SessionID(origin.entity.bytes)
    begin { origin.reply(await proxy.forward(request, session: session, correlation: origin.correlation)) }
  }

  private func begin(_ work: @escaping ForwardingQueue.Work) {
    if let work = forwarding.add(work) { run(work) }
  }

  /// Commands in flight are not cancelled when the client disconnects: the other relay may have executed them, and each
  /// ends with its response or its deadline.
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
