import ChatAPI
import SimpleXChat

/// Commands of a person whose relay has not answered yet, the oldest first.
struct WaitingCommands: Sendable {
  private var lines: [(id: Int, line: String)] = []
  private var last = 0

  /// Whether there are any.
  var isEmpty: Bool { lines.isEmpty }

  /// Adds a command; returns its number.
  mutating func add(_ line: String) -> Int {
    last += 1
    lines.append((last, SecretLine.shown(line)))
    return last
  }

  mutating func remove(_ id: Int) { lines.removeAll { $0.id == id } }

  /// Takes all of them: their lines.
  mutating func removeAll() -> [String] {
    defer { lines = [] }
    return lines.map(\.line)
  }

  /// The row above what is being typed; empty where nothing is waited for.
  var rows: [String] {
    lines.isEmpty
      ? [] : ["waiting for a relay (Ctrl-C stops waiting): " + lines.map(\.line.firstWord).joined(separator: ", ")]
  }
}

extension TerminalSession {
  /// The time after which it is said that a relay is waited for, and other commands go on.
  private static let unannouncedWait = Duration.seconds(1)

  /// Performs a command that needs an answer of a relay. One that is late keeps nothing else waiting.
  func performWaiting(_ command: ChatCommand, _ line: String) async {
    let work = Task { await performNow(command, line, isMessage: false) }
    let (ends, end) = AsyncStream.makeStream(of: Bool.self)
    let watching = Task {
      await work.value
      end.yield(true)
    }
    let timer = Task {
      try? await Task.sleep(for: Self.unannouncedWait)
      end.yield(false)
    }
    defer { timer.cancel() }
    for await isOver in ends {
      if isOver { return }
      break
    }
    let id = state.withLock { $0.waiting.add(line) }
    showStatusRows()
    Task {
      await watching.value
      state.withLock { $0.waiting.remove(id) }
      showStatusRows()
    }
  }

  /// Shows what files are being transferred, which relays are not connected, and what is waited for. Ctrl-C stops the
  /// waiting while there is any.
  func showStatusRows() {
    let (rows, isWaiting) = state.withLock { state in
      let lost = state.lost.rows(host: state.view.host)
      return (state.transfers.rows(of: state.view.user) + lost + state.waiting.rows, !state.waiting.isEmpty)
    }
    input.showStatus(rows)
    guard isWaiting else { return input.setInterrupt(nil) }
    input.setInterrupt { [weak self] in self?.stopWaiting() }
  }

  private func stopWaiting() {
    let lines = state.withLock { $0.waiting.removeAll() }
    showStatusRows()
    input.show(
      lines.map { "No longer waiting for a relay: \(StyledText($0)). What follows from a late answer is shown." })
  }
}

extension ChatCommand {
  /// Whether the command needs an answer of a relay, which may take long.
  var waitsForRelay: Bool {
    switch self {
    case .apiAddContact, .apiConnect, .apiConnectPlan, .apiConnectPreparedContact, .apiConnectPreparedGroup,
      .apiConnectContactViaAddress, .apiAcceptContact, .apiJoinGroup, .apiCreateGroupLink, .apiCreateMyAddress,
      .apiAddMyAddressShortLink, .apiAddGroupShortLink, .apiContactQueueInfo, .apiGroupMemberQueueInfo,
      .apiTestProtoServer:
      true
    case .terminal(let command): command.waitsForRelay
    default: false
    }
  }
}

extension TerminalCommand {
  fileprivate var waitsForRelay: Bool {
    switch self {
    case .addContact, .connect, .connectSimplex, .acceptContact, .joinGroup, .createMyAddress, .createGroupLink,
      .contactQueueInfo, .groupMemberQueueInfo, .testProtoServer:
      true
    default: false
    }
  }
}

extension String {
  fileprivate var firstWord: String { String(prefix { !$0.isWhitespace }) }
}
