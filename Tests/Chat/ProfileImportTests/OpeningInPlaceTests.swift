import ChatAPI
import Foundation
import SimpleXChat
import Synchronization
import Testing

@testable import ProfileImport

/// A core that finds databases of the reference where its own would be, as in an app whose core is replaced.
@Suite struct OpeningInPlaceTests {
  private func options(_ profile: ReferenceProfile, _ confirmation: ChatOptions.Confirmation) -> ChatOptions {
    var options = ChatOptions(databasePrefix: profile.prefix)
    options.confirmation = confirmation
    return options
  }

  private func failure(_ options: ChatOptions) async throws -> DBMigrationResult {
    do {
      await (try ChatController.open(options)).finish()
    } catch {
      return error.result
    }
    Issue.record("it was opened")
    return .ok
  }

  /// Extensions of an app leave it to the app, whatever they confirm.
  @Test(arguments: [(ChatOptions.Confirmation.error, true), (.yesUp, false)])
  func asksBeforeImporting(_ confirmation: ChatOptions.Confirmation, _ importsProfiles: Bool) async throws {
    let profile = try ReferenceProfile()
    let before = try profile.files()
    var options = options(profile, confirmation)
    options.importsReferenceProfiles = importsProfiles
    let result = try await failure(options)
    guard case .errorMigration(profile.chat, .upgrade(let steps)) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(steps.map(\.upName) == [ChatController.referenceImportStep])
    #expect(try profile.files() == before)
  }

  @Test(arguments: ["", "secret"]) func importsWhereUpgradesAreConfirmed(_ key: String) async throws {
    let profile = try ReferenceProfile()
    if !key.isEmpty { try profile.encrypt(key) }
    let originals = try profile.files()
    var options = options(profile, .yesUp)
    options.key = key
    let shown = Mutex<[Int]>([])
    options.importProgress = { percent in shown.withLock { $0.append(percent) } }
    let controller = try await ChatController.open(options)
    #expect(shown.withLock { $0 } == [100])
    let response = try await controller.request(.showActiveUser)
    guard case .response0(.activeUser(let user)) = response else {
      Issue.record("\(response)")
      return
    }
    #expect(user.localDisplayName == "alice")
    await controller.finish()
    for name in ["_chat.db", "_agent.db"] {
      let kept = try Data(contentsOf: URL(filePath: profile.prefix + name + ProfileImport.importedSuffix))
      #expect(kept == originals["reference" + name])
    }
    // The second time it is a profile like others.
    await (try ChatController.open(options)).finish()
  }

  @Test func asksWhetherToLoseSomething() async throws {
    let profile = try ReferenceProfile()
    try profile.changeChat("UPDATE groups SET use_relays = 1;")
    let before = try profile.files()
    let result = try await failure(options(profile, .yesUp))
    guard case .errorMigration(profile.chat, .downgrade(let losses)) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(losses.count == 1 && losses.allSatisfy { $0.hasPrefix("1 public groups") })
    #expect(try profile.files() == before)
    await (try ChatController.open(options(profile, .yesUpDown))).finish()
  }

  @Test func refusesAWrongKey() async throws {
    let profile = try ReferenceProfile()
    try profile.encrypt("secret")
    var options = options(profile, .yesUp)
    options.key = "wrong"
    #expect(try await failure(options) == .errorNotADatabase(dbFile: profile.agent))
  }

  @Test func reportsWhatIsNotSupported() async throws {
    let profile = try ReferenceProfile()
    try profile.changeChat("INSERT INTO migrations (name) VALUES ('20990101_later')")
    let result = try await failure(options(profile, .yesUp))
    guard case .errorSQL(_, let text) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(text.contains("20990101_later"))
  }

  /// They are in the clear, or encrypted with an earlier passphrase.
  @Test(arguments: ["/_db delete", #"/_db encryption {"currentKey":"","newKey":"secret"}"#])
  func removesTheOriginalsWhereNobodyExpectsThem(_ command: String) async throws {
    let profile = try ReferenceProfile()
    let controller = try await ChatController.open(options(profile, .yesUp))
    let original = profile.chat + ProfileImport.importedSuffix
    #expect(FileManager.default.fileExists(atPath: original))
    _ = try await controller.request(try ChatCommand(parsing: command))
    #expect(!FileManager.default.fileExists(atPath: original))
    #expect(!FileManager.default.fileExists(atPath: profile.agent + ProfileImport.importedSuffix))
    await controller.finish()
  }

  /// A kill after the commit, before the end of the replacement or right after it: opening finishes it, and the same
  /// state is not imported again.
  @Test(arguments: [false, true]) func notesAnImportThatAKillInterrupted(isReplaced: Bool) async throws {
    let profile = try ReferenceProfile()
    var importing = profile.makeImport()
    importing.target = profile.prefix
    importing.committed = { () throws(ProfileImportError) in throw .file("killed") }
    #expect(throws: ProfileImportError.self) { try importing.run() }
    if !isReplaced { try Data("keep".utf8).write(to: URL(filePath: profile.prefix + ".replace")) }
    await (try ChatController.open(options(profile, .yesUp))).finish()
    let note = try String(contentsOf: URL(filePath: profile.prefix + "_imported.txt"), encoding: .utf8)
    #expect(note.split(separator: "\n").last?.hasPrefix("imported ") == true)
  }
}
