#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import ChatAPI
import LocalWebSocket
import SimpleXChat

/// The terminal program: opens the databases, makes the first profile, and then runs a session, a command or the API
/// for bots.
public struct TerminalApp: Sendable {
  /// Why the program cannot continue.
  public struct Failure: Error, Sendable {
    /// The lines to show.
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
    // With a mistyped prefix a single command would leave an empty profile.
    guard options.command == nil || options.createsProfile || Prompt.isPossible || options.isProfileThere else {
      throw Failure(["There is no profile at \(options.databasePrefix); the option --display-name creates one."])
    }
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
    options.writeStartLines(["Current user: \(Self.text(user))"])
    try await prepare()
    if !options.isMaintenance { try await require("/_start main=on snd_files=on") }
    let following = options.desktopSearch.map { settings in
      Task { [core] in await core.followKnownDesktops(settings) }
    }
    defer { following?.cancel() }
    if let command = options.command {
      try await SingleCommand(core: core, options: options, user: user).run(command)
    } else if let port = options.serverPort {
      try await serve(port)
    } else {
      await converse(user, isNew: isNew)
    }
  }

  // MARK: Opening

  /// Opens the databases, after asking for what is missing.
  static func open(_ options: inout TerminalOptions) async throws(Failure) -> ChatController {
    while true {
      var core = ChatOptions(databasePrefix: options.databasePrefix, key: options.key)
      core.confirmation = !options.confirmsMigrations ? .error : options.acceptsLosses ? .yesUpDown : .yesUp
      // Agreeing to any upgrade is not enough for what cannot be undone, where somebody can be asked.
      core.importsReferenceProfiles = options.confirmsImport || !Prompt.isPossible
      core.importProgress = { [options] percent in options.writeStartLines(["\(percent)% of the messages"]) }
      core.smpServers = options.smpServers
      core.xftpServers = options.xftpServers
      core.addsPresetContacts = options.addsPresetContacts
      core.eventLimit = options.eventLimit
      core.tellsHosts = options.tellsHosts
      core.deviceName = options.deviceName
      // Bots see everything.
      core.movesEventsToDesktop = options.serverPort == nil
      core.autoAcceptFileSize = options.acceptedFileSize
      options.adjustCore(&core)
      do throws(ChatOpeningError) {
        return try await ChatController.open(core)
      } catch {
        options = try await repaired(options, error.result)
      }
    }
  }

  /// Options with which opening may succeed, after asking for them.
  private static func repaired(
    _ options: TerminalOptions, _ result: DBMigrationResult
  ) async throws(Failure) -> TerminalOptions {
    var options = options
    switch result {
    case .errorNotADatabase:
      let reason = options.key.isEmpty ? "The database is encrypted" : "The database key is wrong"
      if !Prompt.isPossible, options.readsKey, options.key.isEmpty, let key = readLine(), !key.isEmpty {
        options.key = key
        return options
      }
      guard Prompt.isPossible else {
        throw Failure([
          "\(reason), or the file is not a database of this program. The options --key-file and -k give the key."
        ])
      }
      StandardOutput.write(["\(reason), or the file is not a database of this program."])
      guard let key = await Prompt.secret("Enter database encryption key (Ctrl-C to exit):"), !key.isEmpty else {
        throw Failure(["The database was not opened: no key was entered."])
      }
      options.key = key
    case .errorMigration(let file, .upgrade(let migrations))
    where !options.confirmsMigrations || !options.confirmsImport:
      StandardOutput.write(upgradeText(file, migrations))
      guard await Prompt.isConfirmed("Continue?") else {
        throw Failure([
          "The database was not opened, because it has to be upgraded. The option -y upgrades it without asking."
        ])
      }
      (options.confirmsMigrations, options.confirmsImport) = (true, true)
    case .errorMigration(_, .downgrade(let losses)):
      StandardOutput.write(["Would be lost:"] + losses.map { "- \($0)" })
      guard Prompt.isPossible, await Prompt.isConfirmed("Import anyway?") else {
        throw Failure([
          "The profile was not imported, because something would be lost. simplex-chat import --accept-losses imports it anyway."
        ])
      }
      options.acceptsLosses = true
    default:
      throw Failure([StyledText(OpeningProblem.text(result, prefix: options.databasePrefix))])
    }
    return options
  }

  private static func upgradeText(_ file: String, _ migrations: [UpMigration]) -> [String] {
    guard migrations.contains(where: { $0.upName == ChatController.referenceImportStep }) else {
      return ["Database \(file) has to be upgraded:"] + migrations.map { "- \($0.upName)" }
    }
    return [
      "\(file) belongs to a profile of the reference app. It can be imported; the original stays as a backup.",
      "End the app first. Afterwards use the profile only here: `simplex-chat export` takes it back to the app.",
    ]
  }

  // MARK: The user

  /// The active user, after creating or choosing one if necessary.
  private func activeUser() async throws(Failure) -> (user: User, isNew: Bool) {
    if case .result(.response0(.activeUser(let user))) = await core.send(.showActiveUser) { return (user, false) }
    guard case .result(.response0(.usersList(let users))) = await core.send(.listUsers), !users.isEmpty else {
      guard !options.isMaintenance || options.newProfile != nil else {
        throw Failure(["exiting: no active user in maintenance mode; start once without -m to create a profile"])
      }
      return (try await newUser(), true)
    }
    let chosen = users.count == 1 ? users.first : try await choose(users)
    guard let chosen else { throw Failure(["No profile was chosen: the input has ended."]) }
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
    if let profile = options.newProfile {
      return try await user(.createActiveUser(profile: profile, pastTimestamp: false))
    }
    if let name = options.displayName { return try await newUser(name) }
    StandardOutput.write([
      "There is no profile yet; one is created now.", "Please choose your display name.",
      "It will be sent to your contacts when you connect.",
      "It is only stored on your device and you can change it later.",
    ])
    while true {
      guard let name = await Prompt.line("display name: ") else {
        throw Failure(["No display name was given. The option --display-name gives one without a question."])
      }
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

  /// Applies the settings of this start. With another network than the one that was asked for, it fails.
  private func prepare() async throws(Failure) {
    var commands: [String] = []
    if let folder = options.filesFolder { commands.append("/_files_folder \(folder)") }
    if let folder = options.tempFolder { commands.append("/_temp_folder \(folder)") }
    if let network = options.network { try await require("/network \(network)") }
    for command in commands {
      let result = await core.sendText(command)
      if case .error = result { options.writeStartLines(ChatView().lines(result).map(\.text)) }
    }
  }

  private func require(_ command: String) async throws(Failure) {
    let result = await core.sendText(command)
    if case .error = result { throw Failure(ChatView().lines(result)) }
  }

  private func serve(_ port: Int) async throws(Failure) {
    let server: WebSocketAPI
    let token: String
    if let given = options.serverToken { token = given } else { token = try ownToken() }
    let admitsOwner = options.serverToken == nil && WebSocketServer.recognizesOwner
    do {
      server = try await WebSocketAPI(
        core: core, port: port, token: token, admitsOwner: admitsOwner, idleTimeout: options.serverTimeout)
    } catch {
      throw Failure([
        "cannot listen on port \(port): another program may use it. Choose another one with -p, or 0 for any free port."
      ])
    }
    if options.serverToken == nil, !admitsOwner {
      StandardOutput.write(text: "Clients need the token in \(tokenFile.path).\n", to: STDERR_FILENO)
    }
    StandardOutput.write(["WebSocket API on ws://127.0.0.1:\(server.port)"])
    // Until the task is cancelled.
    while (try? await Task.sleep(for: .seconds(86_400))) != nil {}
    await server.close()
  }

  private var tokenFile: TokenFile { TokenFile(path: options.databasePrefix + "_token") }

  /// The token of clients that are programs of other users, where none is given.
  private func ownToken() throws(Failure) -> String {
    do { return try tokenFile.token() } catch { throw Failure(["The token for clients cannot be kept: \("\(error)")"]) }
  }

  private func converse(_ user: User, isNew: Bool) async {
    // Of an encrypted database, nothing is kept outside of it.
    let keepsHistory = options.keepsHistory && options.key.isEmpty
    let history = keepsHistory ? options.databasePrefix + "_history" : nil
    let input: any LineInput = TerminalInput.start(historyFile: history) ?? PlainInput()
    if input.isInteractive { input.show(await greeting(user) + (isNew ? HelpTexts.welcome(user) : [])) }
    var session = options.session
    if options.filesFolder == nil, !Paths.hasDownloads { session.receivedFolder = options.databasePrefix + "_files" }
    await TerminalSession(core: core, input: input, user: user, options: session).run()
    await input.end()
  }

  /// The lines at the start of a session.
  private func greeting(_ user: User) async -> [StyledText] {
    let view = ChatView()
    // The name says which core it is compatible with; /version shows the rest.
    var lines =
      if let name = options.programName { [StyledText(name)] } else { view.lines(await core.send(.showVersion)) }
    lines.append(StyledText("db: \(options.databasePrefix)_chat.db, \(options.databasePrefix)_agent.db"))
    if case .result(.response0(.networkConfig(let config))) = await core.send(.apiGetNetworkConfig) {
      lines.append(view.proxy(config) ?? "direct network connection - `/network` or the option `-x` use a SOCKS5 proxy")
      lines.append(view.routingInWords(config))
    }
    return lines + ["type \"/help\" or \"/h\" for usage info"] + (await latest(user))
  }

  /// The latest chats, and where something is not read.
  private func latest(_ user: User) async -> [StyledText] {
    guard
      case .result(.response0(.apiChats(_, let chats))) = await core.send(
        .apiGetChats(userId: user.userId, pagination: .last(count: 1_000)))
    else { return [] }
    var view = ChatView(user: user)
    view.showsStatus = true
    let lines = chats.prefix(5).reversed().flatMap { chat in
      chat.chatItems.isEmpty ? [] : view.lines(ChatResponse.response3(.chats(chats: [chat])))
    }
    let unread = chats.compactMap { chat -> StyledText? in
      guard chat.chatStats.unreadCount > 0, let name = chat.chatInfo.typedName else { return nil }
      return "\(.from(name.trimmed)) \(chat.chatStats.unreadCount)"
    }
    guard let first = unread.first else { return lines }
    return lines + [unread.dropFirst().reduce("unread: " + first) { $0 + ", " + $1 }]
  }
}
