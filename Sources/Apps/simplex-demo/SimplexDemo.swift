import ChatAPI
import ChatTerminal
import Foundation
import ProgramSupport
import SimpleXChat

/// The demonstration. At a terminal: the terminal client with a contact that echoes. Elsewhere: a conversation that is
/// played, and judged by the exit status.
@main
struct SimplexDemo {
  static func main() async {
    if let option = CommandLine.arguments.dropFirst().first { return explain(option) }
    let signals = StopSignals()
    let running = Task { await run() }
    let stopping = Task {
      await signals.wait()
      running.cancel()
    }
    let isFine = await running.value
    stopping.cancel()
    if !isFine { exit(1) }
  }

  /// Answers `--version` and `--help`; other arguments are errors.
  private static func explain(_ option: String) {
    switch option {
    case "--version": print(ProgramVersion.text(of: "simplex-demo", compatibleWith: TerminalOptions.coreVersion))
    case "--help", "-h":
      print(
        """
        usage: simplex-demo [--version | --help]

        Starts a relay, a contact named Echo and a session of the terminal client in one program, and keeps nothing.
        Where the input or output is not a terminal, it plays a conversation instead.
        """)
    default:
      let text = "simplex-demo: unknown argument \(option); simplex-demo --help explains the program\n"
      FileHandle.standardError.write(Data(text.utf8))
      exit(64)
    }
  }

  private static func run() async -> Bool {
    let folder = FileManager.default.temporaryDirectory.appending(path: "simplex-demo-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      Conversation.line("failed: the folder \(folder.path) cannot be made: \(error.localizedDescription)")
      return false
    }
    do {
      let relay = try await DemoRelay.start(folder: folder)
      let isFine = await play(folder, relay)
      await relay.stop()
      return isFine
    } catch {
      Conversation.line("failed: the relay cannot be started: \(error)")
      return false
    }
  }

  private static func play(_ folder: URL, _ relay: DemoRelay) async -> Bool {
    do throws(DemoFailure) {
      if let input = TerminalInput.start() {
        try await converse(input, in: folder, over: relay)
      } else {
        try await Conversation.play(folder: folder, relay: relay)
      }
      return true
    } catch {
      Conversation.line("failed: \(error.reason)")
      return false
    }
  }

  private static func converse(_ input: TerminalInput, in folder: URL, over relay: DemoRelay) async throws(DemoFailure)
  {
    input.show(["The relay in this process is \(relay.address).", "The contact Echo sends back what you type."])
    let result: Result<Void, DemoFailure>
    do throws(DemoFailure) {
      let echo = try await Echo.start(folder: folder, relay: relay)
      let you = try await DemoPeer.start("you", folder: folder, relay: relay)
      _ = try await you.send("/connect \(echo.link)")
      input.show(["Type a message once Echo is connected, /help for more, /quit to end."])
      await TerminalSession(core: you.core, input: input, user: you.user).run()
      await you.stop()
      await echo.stop()
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await input.end()
    try result.get()
  }
}
