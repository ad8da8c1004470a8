import ChatAPI
import ChatState
import ChatStateInProcess
import ChatStateTesting
import Observation
import SimpleXChat

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// `chat-dashboard [--database PREFIX [--key KEY] [--name NAME]]`: a chat list with unread counts, an open chat and a
/// line to write in, built on `ChatModel` alone.
///
/// With a database it shows its profile; `--name` makes the first one. Without, the core is one in memory, whose
/// contacts write by themselves and answer; and without a terminal it then plays a short conversation and prints the
/// screens.
@main
struct ChatDashboard {
  @MainActor
  static func main() async throws {
    let arguments = Arguments(CommandLine.arguments.dropFirst())
    if let prefix = arguments["--database"] {
      try await showDatabase(prefix, key: arguments["--key"] ?? "", name: arguments["--name"])
    } else {
      try await demonstrate()
    }
  }

  /// Shows a profile of a database until the person is done.
  @MainActor
  private static func showDatabase(_ prefix: String, key: String, name: String?) async throws {
    let model = ChatModel()
    var options = ChatOptions(databasePrefix: prefix, key: key)
    options.takeServersFromEnvironment()
    try await model.initChatAndMigrate { [options] in await InProcessCore.open(options) }
    guard model.ok else { return print("The database cannot be opened: \(model.chatDbStatus.map { "\($0)" } ?? "")") }
    if model.currentUser == nil {
      guard let name else { return print("There is no profile yet; make one with --name NAME.") }
      try await model.createActiveUser(Profile(displayName: name, fullName: ""))
    }
    let dashboard = Dashboard(model)
    if Terminal.isInteractive {
      await run(dashboard, nil)
    } else {
      for line in Screen(dashboard: dashboard, width: 80, height: 24).lines() where !line.isEmpty { print(line) }
    }
    if let core = model.core as? InProcessCore { await core.controller.finish() }
  }

  @MainActor
  private static func demonstrate() async throws {
    let core = ModelCore(contacts: 5, groups: 3, filters: [.all])
    let model = ChatModel()
    try await model.initChatAndMigrate { OpenedCore(status: .ok, isEncrypted: false, core: core) }
    let dashboard = Dashboard(model)
    let peers = Peers(core)
    if Terminal.isInteractive {
      await run(dashboard, peers)
    } else {
      await play(dashboard, peers)
    }
  }

  /// Follows keys and the model until the person is done.
  @MainActor
  private static func run(_ dashboard: Dashboard, _ peers: Peers?) async {
    let terminal = Terminal()
    defer { terminal.restore() }
    let talking = Task { await peers?.talk() }
    defer { talking.cancel() }
    follow(dashboard)
    for await keys in Terminal.keys() {
      for key in keys {
        let wasWriting = dashboard.draft
        guard await dashboard.press(key) else { return }
        if key == .enter, !wasWriting.isEmpty, dashboard.draft.isEmpty, let id = dashboard.model.chatId {
          peers?.answer(in: id, wasWriting)
        }
      }
      show(dashboard)
    }
  }

  /// Shows the screen, and again whenever something on it changes.
  @MainActor
  private static func follow(_ dashboard: Dashboard) {
    withObservationTracking {
      show(dashboard)
    } onChange: {
      Task { @MainActor in follow(dashboard) }
    }
  }

  @MainActor
  private static func show(_ dashboard: Dashboard) {
    let (width, height) = Terminal.size
    Terminal.show(Screen(dashboard: dashboard, width: width, height: height).lines())
  }

  /// Plays a conversation and prints the screens.
  @MainActor
  private static func play(_ dashboard: Dashboard, _ peers: Peers) async {
    func snapshot(_ title: String) {
      print("== \(title)")
      for line in Screen(dashboard: dashboard, width: 60, height: 13).lines() where !line.isEmpty { print(line) }
    }
    snapshot("started")
    for id in ["@2", "#1", "@2"] { await peers.write(in: id, until: dashboard.model) }
    snapshot("three messages came")
    _ = await dashboard.press(.enter)
    for key in Key.keys(in: Array("hello there\r".utf8)) { _ = await dashboard.press(key) }
    if let id = dashboard.model.chatId { peers.answer(in: id, "hello there") }
    while dashboard.model.im.chatItems.last?.chatDir.sent != false { await Task.yield() }
    snapshot("a message was sent and answered")
    _ = await dashboard.press(.escape)
    _ = await dashboard.press(.tab)
    snapshot("unread chats")
  }
}

/// Contacts and members who write.
@MainActor
final class Peers {
  private let core: ModelCore
  private var count = 0

  init(_ core: ModelCore) { self.core = core }

  /// Writes every few seconds.
  func talk() async {
    while !Task.isCancelled {
      try? await Task.sleep(for: .seconds(Double.random(in: 1...4)))
      guard let id = core.chatIds.randomElement() else { return }
      write(in: id)
    }
  }

  /// Writes a message.
  func write(in id: ChatId) {
    count += 1
    if let event = core.receive(in: id, "message \(count)") { core.emit(event) }
  }

  /// Writes a message and waits until the model has it.
  func write(in id: ChatId, until model: ChatModel) async {
    let before = model.getChat(id)?.chatItems.last?.id
    write(in: id)
    while model.getChat(id)?.chatItems.last?.id == before { await Task.yield() }
  }

  /// Answers a message.
  func answer(in id: ChatId, _ text: String) {
    if let event = core.receive(in: id, "you said: \(text)") { core.emit(event) }
  }
}

/// Names with their values.
struct Arguments {
  private var values: [String: String] = [:]

  init(_ arguments: some Sequence<String>) {
    var rest = arguments.makeIterator()
    while let name = rest.next() { values[name] = rest.next() ?? "" }
  }

  subscript(name: String) -> String? { values[name] }
}
