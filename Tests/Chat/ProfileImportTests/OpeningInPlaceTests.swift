import ChatAPI
import Foundation
import ProfileImport
import SimpleXChat
import Testing

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
    let controller = try await ChatController.open(options)
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
    guard case .errorSQL(profile.chat, let text) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(text.contains("public groups"))
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
}
