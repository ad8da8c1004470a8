import ChatAPI
import SimpleXChat

extension TerminalSession {
  private static let keyWarning: StyledText =
    "Keep the key where you find it again: without it nobody can open the database, and it cannot be replaced."
  static let passwordWarning: StyledText =
    "Keep the password where you find it again: without it the profile cannot be shown, and it cannot be replaced."

  /// `/db encrypt`, `/db key` and `/db decrypt`, with passphrases that may have spaces. For a person the chat is
  /// stopped meanwhile; a program has to stop it before. False for other commands.
  func performDatabaseCommand(_ line: String) async -> Bool {
    guard let config = DatabaseCommand.config(line) else { return false }
    echo(line)
    if input.isInteractive, !config.newKey.isEmpty { input.show([Self.keyWarning]) }
    await changeKey(config)
    return true
  }

  /// Commands about secrets that a person typed without the secret: it is asked for, and not shown. False for others.
  func performAsking(_ line: String) async -> Bool {
    guard input.isInteractive else { return false }
    switch line {
    case "/db encrypt":
      echo(line)
      guard let key = await newSecret("key", warning: Self.keyWarning) else { return true }
      await changeKey(DBEncryptionConfig(currentKey: "", newKey: key))
    case "/db key":
      echo(line)
      guard let old = await secret("The key now:"), let key = await newSecret("key", warning: Self.keyWarning) else {
        return true
      }
      await changeKey(DBEncryptionConfig(currentKey: old, newKey: key))
    case "/db decrypt":
      echo(line)
      guard let key = await secret("The key:") else { return true }
      await changeKey(DBEncryptionConfig(currentKey: key, newKey: ""))
    case "/hide user":
      echo(line)
      guard let password = await newSecret("password", warning: Self.passwordWarning) else { return true }
      await perform(.terminal(.hideUser(viewPwd: password)), line)
    case "/unhide user":
      echo(line)
      guard let password = await secret("The password of the profile:") else { return true }
      await perform(.terminal(.unhideUser(viewPwd: password)), line)
    default: return false
    }
    return true
  }

  private func perform(_ command: ChatCommand, _ line: String) async {
    await send(command, line, isMessage: false)
    await nameProfile()
  }

  /// A new secret that was typed twice; nil where it was not, which is shown.
  private func newSecret(_ what: String, warning: StyledText) async -> String? {
    input.show([warning])
    guard let first = await secret("New \(what):"), let second = await secret("The same again:") else { return nil }
    guard first == second else {
      input.show(["The two differ: nothing was changed."])
      return nil
    }
    return first
  }

  /// The answer to a question; nil where there is none, which is shown.
  private func secret(_ question: String) async -> String? {
    if let answer = await input.secret(question), !answer.isEmpty { return answer }
    input.show(["Nothing was changed."])
    return nil
  }

  /// Changes the key of the databases and shows the result.
  private func changeKey(_ config: DBEncryptionConfig) async {
    if input.isInteractive, case .result(.response0(.chatRunning)) = await core.send(.checkChatRunning) {
      _ = await core.send(.apiStopChat)
    }
    let result = await core.send(.apiStorageEncryption(config: config))
    input.show(view.lines(result))
    if case .result = result, config.currentKey != config.newKey {
      state.withLock { $0.view.isStoreChanged = true }
      // The history has typed lines, which would stay readable.
      if !config.newKey.isEmpty { input.forgetHistory() }
    }
    guard input.isInteractive else { return }
    // After a change this says that the program has to be started again.
    let started = await core.sendText("/_start main=on snd_files=on")
    if case .error = started { input.show(view.lines(started)) }
  }
}
