import ChunkStore
import NIOCore
import RelayChassis
import SMPProtocol
import WireCodec
import XFTPProtocol

/// The commands of the control port. Used on one event loop.
final class FileControlSession: ControlCommands {
  private let settings: FileServerSettings
  private let relay: FileRelay
  private let access: ControlAccess
  private var role = ControlRole.none

  init(_ settings: FileServerSettings, _ relay: FileRelay, access: ControlAccess) {
    self.settings = settings
    self.relay = relay
    self.access = access
  }

  private static let help = """
    commands:
      auth PASSWORD          identify as user or admin
      stats                  counts of files since the start, or since midnight with log_stats = on
      delete ID              delete a file; ID is that of a recipient
      block ID reason=spam   delete a file and answer its recipients that it is blocked; reasons: spam, content
      trust-clock            delete what is too old by the clock, also where it is days ahead of the last run (admin)
      help                   show this list
      quit                   close the connection
    """

  /// The answer to a line. Deletions are carried out after the answer.
  func answer(_ line: String, on eventLoop: any EventLoop) -> ControlAnswer { .now(answer(line)) }

  private func answer(_ line: String) -> String? {
    let words = line.split(separator: " ").map(String.init)
    switch (words.first, words.count) {
    case (nil, _): return ""
    case ("quit", _): return nil
    case ("help", _): return Self.help
    case ("auth", 2): return authenticate(words[1])
    case ("stats", 1): return requiresUser { stats }
    case ("trust-clock", 1):
      guard role == .admin else { return "AUTH: this command needs the admin password; auth PASSWORD first" }
      return relay.expiryClock.trust() ? "ok, what is too old is deleted from now on" : "ok, the clock was not doubted"
    case ("delete", 2):
      return requiresUser {
        withFile(words[1], done: "deleted") { [relay] chunk in await relay.delete(chunk) == .ok }
      }
    case ("block", 3): return requiresUser { block(words[1], words[2]) }
    default: return "error: bad command; help lists the commands"
    }
  }

  private func authenticate(_ password: String) -> String {
    access.authenticate(&role, password: password, admin: settings.adminPassword, user: settings.userPassword)
  }

  private func requiresUser(_ body: () -> String) -> String {
    role < .user ? "AUTH: this command needs the user or the admin password; auth PASSWORD first" : body()
  }

  private var stats: String {
    let usage = relay.store.usage
    let counts = FileEvent.allCases.map { "\($0): \(relay.statistics.value($0))" }
    return (counts + ["files: \(usage.chunks)", "bytes: \(usage.bytes)"]).joined(separator: "\n")
  }

  private func block(_ id: String, _ text: String) -> String {
    guard let info = try? BlockingInfo.codec.decode(text: text) else {
      return "error: bad blocking information, for example: reason=spam"
    }
    return withFile(id, done: "blocked") { [relay] (chunk) -> Bool in
      guard (try? await relay.store.block(chunk.number, info)) == true else { return false }
      relay.statistics.count(.filesBlocked)
      return true
    }
  }

  /// Finds a file by the identifier of a recipient, in base64url, and changes it.
  private func withFile(
    _ text: String, done: String, _ body: @escaping @Sendable (ChunkRecord) async -> Bool
  ) -> String {
    guard let id = Base64URL.decode(text), !id.isEmpty else {
      return "error: bad file identifier; it is base64url, as in file descriptions"
    }
    let store = relay.store
    let report = relay.configuration.report
    Task {
      guard let found = try? await store.chunk(ofRecipient: EntityID(id)), await body(found.chunk) else {
        return report?("Control port: a file was not \(done)") ?? ()
      }
    }
    return "ok, if there is such a file it is being \(done)"
  }
}
