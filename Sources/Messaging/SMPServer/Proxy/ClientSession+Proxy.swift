import SMPProtocol
import SMPServerCore

/// The forwarded commands of one client: those in flight, and those that wait.
struct ForwardingQueue {
  /// A command, and about the memory in bytes that it takes until it is answered.
  struct Work: Sendable {
    let size: Int
    let perform: @Sendable () async -> Void
  }

  private let limit: Int
  private var running = 0
  private var waiting: [Work] = []

  /// A queue with this limit of commands in flight.
  init(limit: Int) { self.limit = max(1, limit) }

  /// Whether nothing is in flight.
  var isEmpty: Bool { running <= 0 }

  /// Whether the next command would have to wait.
  var isFull: Bool { running >= limit }

  /// Adds a command; returns the ones to start now.
  mutating func add(_ work: Work) -> Work? {
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
    begin(size: 1_024) { origin.reply(await proxy.openSession(request, password: password)) }
  }

  /// Answers PFWD when the other relay has answered.
  func forward(_ request: ForwardRequest, _ origin: Origin<Client>) {
    guard let proxy = relay.proxy else { return origin.reply(.err(.PROXY(proxyErr: .NO_SESSION))) }
    let session = SessionID(origin.entity.bytes)
    begin(size: request.transmission.count + 1_024) {
      origin.reply(await proxy.forward(request, session: session, correlation: origin.correlation))
    }
  }

  /// Whether reading has to wait for commands of this client that are in flight: because of their number, or because
  /// those of all clients take too much memory.
  var isForwardingBusy: Bool {
    guard let limit = relay.proxy?.configuration.waitingLimit else { return false }
    return forwarding.isFull || !forwarding.isEmpty && relay.forwardedBytes.load(ordering: .relaxed) > limit
  }

  private func begin(size: Int, _ perform: @escaping @Sendable () async -> Void) {
    if let work = forwarding.add(ForwardingQueue.Work(size: size, perform: perform)) { run(work) }
  }

  /// Commands in flight are not cancelled when the client disconnects: the other relay may have executed them, and each
  /// ends with its response or its deadline.
  private func run(_ work: ForwardingQueue.Work) {
    relay.forwardedBytes.add(work.size, ordering: .relaxed)
    Task {
      await work.perform()
      relay.forwardedBytes.subtract(work.size, ordering: .relaxed)
      connection.perform { self.workFinished() }
    }
  }

  private func workFinished() {
    if let next = forwarding.finished() { run(next) }
    resumeReadingIfIdle()
  }
}
