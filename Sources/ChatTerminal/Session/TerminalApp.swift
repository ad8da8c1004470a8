#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import ChatAPI
import SimpleXChat

/// The terminal program: opens the databases, makes the first profile, and then runs a session, a command or the API for bots.
public struct TerminalApp: Sendable {
  /// Why the program cannot go on; the lines say it to the person.
  public struct Failure: Error, Sendable {
    /// The lines for the person.
    public var lines: [String]

    init(_ lines: [StyledText]) { self.lines = lines.map(\.text) }
  }

  private let options: TerminalOptions
  private let core: ChatController

  private init(_ options: TerminalOptions, _ core: ChatController) {
    self.options = options
    self.core = core
  }

  /// Runs until the session is over, the command is done or, as a server, until the task is cancelled.
  public static func run(_ options: TerminalOptions) async throws(Failure) {
    var options = options
    let core = try await open(&options)
    let app = TerminalApp(options, core)
    do throws(Failure) {
      try await app.run()
    } catch {
      try? await core.close()
      throw error
    }
    try? await core.close()
  }

  private func run() async throws(Failure) {
    let (user, isNew) = try await activeUser()
    StandardOutput.write(["Current user: \(Self.text(user))"])
    await prepare()
    if !options.isMaintenance { try await require("/_start main=on snd_files=on") }
    if let command = options.command {
      await execute(command, user)
    } else if let port = options.serverPort {
      try await serve(port)
    } else {
      await converse(user, isNew: isNew)
    }
  }

  // MARK: Opening

  private static func open(_ options: inout TerminalOptions) async throws(Failure) -> ChatController {
    while true {
      var core = ChatOptions(databasePrefix: options.databasePrefix, key: options.key)
      core.confirmation = options.confirmsMigrations ? .yesUp : .error
      core.smpServers = options.smpServers
      core.xftpServers = options.xftpServers
      core.addsPresetContacts = options.addsPresetContacts
      core.eventLimit = options.eventLimit
      core.tellsHosts = options.tellsHosts
      do throws(ChatOpeningError) {
        return try await ChatController.open(core)
      } catch {
        options = try await repaired(options, error.result)
      }
    }
  }

  /// Options with which opening may succeed, after asking the person.
  private static func repaired(
    _ options: TerminalOptions, _ result: DBMigrationResult
  ) async throws(Failure) -> TerminalOptions {
    var options = options
    switch result {
    case .errorNotADatabase:
      let reason = options.key.isEmpty ? "encrypted." : "you passed an incorrect encryption key."
      let line = "Database file is invalid or \(reason)"
      StandardOutput.write([line])
      guard let key = await Prompt.secret("Enter database encryption key (Ctrl-C to exit):"), !key.isEmpty else {
        throw Failure(["Error opening database: no key"])
      }
      options.key = key
    case .errorMigration(let file, .upgrade(let migrations)) where !options.confirmsMigrations:
      StandardOutput.write(["Database \(file) has to be upgraded:"] + migrations.map { "- \($0.upName)" })
      guard await Prompt.isConfirmed("Continue?") else { throw Failure(["Error opening database: not upgraded"]) }
      options.confirmsMigrations = true
    default:
      throw Failure([StyledText("Error opening database: \(result.text)")])
    }
    return options
  }

  // MARK: The user

  /// The user, who may have to be made or chosen first.
  private func activeUser() async throws(Failure) -> (user: User, isNew: Bool) {
    if case .result(.response0(.activeUser(let user))) = await core.send(.showActiveUser) { return (user, false) }
    guard case .result(.response0(.usersList(let users))) = await core.send(.listUsers), !users.isEmpty else {
      guard !options.isMaintenance else { throw Failure(["exiting: no active user in maintenance mode"]) }
      return (try await newUser(), true)
    }
    let chosen = users.count == 1 ? users.first : try await choose(users)
    guard let chosen else { throw Failure(["no user was chosen"]) }
    return (try await user(.apiSetActiveUser(userId: chosen.user.userId, viewPwd: nil)), false)
  }

  private func choose(_ users: [UserInfo]) async throws(Failure) -> UserInfo? {
    StandardOutput.write(["Select user profile:"] + users.enumerated().map { "\($0 + 1): \(Self.text($1.user))" })
    while true {
      guard let line = await Prompt.line("user number (1 .. \(users.count)): ") else { return nil }
      guard let number = Int(line) else {
        StandardOutput.write(["not a number"])
        continue
      }
      if users.indices.contains(number - 1) { return users[number - 1] }
      StandardOutput.write(["invalid user number"])
    }
  }

  private func newUser() async throws(Failure) -> User {
    if let bot = options.newBot {
      var profile = Profile(displayName: bot.displayName, fullName: "", peerType: .bot)
      if !bot.allowsFiles { profile.preferences = Preferences(files: SimplePreference(allow: .no)) }
      return try await user(.createActiveUser(profile: profile, pastTimestamp: false))
    }
    if let name = options.displayName { return try await newUser(name) }
    StandardOutput.write([
      "No user profiles found, it will be created now.", "Please choose your display name.",
      "It will be sent to your contacts when you connect.",
      "It is only stored on your device and you can change it later.",
    ])
    while true {
      guard let name = await Prompt.line("display name: ") else { throw Failure(["no display name was given"]) }
      do throws(Failure) { return try await newUser(name) } catch { StandardOutput.write(error.lines) }
    }
  }

  private func newUser(_ name: String) async throws(Failure) -> User {
    let profile = Profile(displayName: name, fullName: "")
    return try await user(.createActiveUser(profile: profile, pastTimestamp: false))
  }

  private func user(_ command: ChatCommand) async throws(Failure) -> User {
    let result = await core.send(command)
    if case .result(.response0(.activeUser(let user))) = result { return user }
    throw Failure(ChatView().lines(result))
  }

  private static func text(_ user: User) -> String {
    let (name, fullName) = (user.localDisplayName, user.profile.fullName)
    return StyledText(fullName.isEmpty || fullName == name ? name : "\(name) (\(fullName))").text
  }

  // MARK: Running

  /// Settings of this start. One that fails is told, and the rest goes on.
  private func prepare() async {
    var commands: [String] = []
    if let folder = options.filesFolder { commands.append("/_files_folder \(folder)") }
    if let folder = options.tempFolder { commands.append("/_temp_folder \(folder)") }
    if let network = options.network { commands.append("/network \(network)") }
    for command in commands {
      let result = await core.sendText(command)
      if case .error = result { StandardOutput.write(ChatView().lines(result).map(\.text)) }
    }
  }

  private func require(_ command: String) async throws(Failure) {
    let result = await core.sendText(command)
    if case .error = result { throw Failure(ChatView().lines(result)) }
  }

  private func execute(_ command: String, _ user: User) async {
    let view = ChatView(user: user, showsReactions: options.session.showsReactions)
    let log = options.executeLog
    let events = Task { [core] in
      guard log != .none else { return }
      for await event in core.events {
        let isMessage = if case .result(.newChatItems) = event { true } else { false }
        if log == .all || isMessage { StandardOutput.write(view.lines(event).map(\.text)) }
      }
    }
    let result = await core.sendText(command)
    StandardOutput.write(view.lines(result).map(\.text))
    try? await Task.sleep(for: .seconds(max(0, options.commandDelay)))
    events.cancel()
    await events.value
  }

  private func serve(_ port: Int) async throws(Failure) {
    let server: WebSocketAPI
    do { server = try await WebSocketAPI(core: core, port: port, token: options.serverToken) } catch {
      throw Failure([StyledText("cannot listen on port \(port): \(error)")])
    }
    StandardOutput.write(["WebSocket API on ws://127.0.0.1:\(server.port)"])
    // Until the task is cancelled.
    while (try? await Task.sleep(for: .seconds(86_400))) != nil {}
    await server.close()
  }

  private func converse(_ user: User, isNew: Bool) async {
    let input: any LineInput = TerminalInput.start() ?? PlainInput()
    if input.isInteractive { input.show(await greeting() + (isNew ? HelpTexts.welcome(user) : [])) }
    await TerminalSession(core: core, input: input, user: user, options: options.session).run()
    await input.end()
  }

  /// What a person may want to know before the first line.
  private func greeting() async -> [StyledText] {
    let view = ChatView()
    var lines = view.lines(await core.send(.showVersion))
    lines.append(StyledText("db: \(options.databasePrefix)_chat.db, \(options.databasePrefix)_agent.db"))
    if case .result(.response0(.networkConfig(let config))) = await core.send(.apiGetNetworkConfig) {
      lines.append(view.proxy(config) ?? "direct network connection - `/network` or the option `-x` use a SOCKS5 proxy")
      lines.append(StyledText(view.routing(config)))
    }
    return lines + ["type \"/help\" or \"/h\" for usage info"]
  }
}
