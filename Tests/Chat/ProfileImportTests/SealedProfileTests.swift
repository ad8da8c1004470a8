import AgentStore
import ChatAPI
import ChatStore
import Foundation
import SQLiteKit
import SimpleXChat
import SimplexCrypto
import Testing

@testable import ProfileImport

/// A profile that was exported is not opened any more, however the export ended.
@Suite struct SealedProfileTests {
  private struct Killed: Error {}

  @Test func isRefusedByEverythingThatOpensIt() async throws {
    let exported = try ExportedProfile()
    _ = try exported.makeExport().run()
    let target = exported.profile.target
    let chat = #expect(throws: ChatStoreOpenError.self) { try ChatDatabase(path: target + "_chat.db") }
    guard case .foreign(_, .sealed(let seal)) = chat else {
      Issue.record("\(String(describing: chat))")
      return
    }
    #expect(seal.destination == exported.archive)
    #expect(seal.day == "2026-11-18")
    let agent = #expect(throws: SQLiteKit.SQLiteError.self) { try AgentDatabase(path: target + "_agent.db") }
    #expect(agent?.kind == .foreign(.sealed(seal)))
    for confirmation in [ChatOptions.Confirmation.error, .yesUp, .yesUpDown] {
      var options = ChatOptions(databasePrefix: target)
      options.confirmation = confirmation
      try await refuses(options, naming: exported.archive)
    }
    // An extension.
    var options = ChatOptions(databasePrefix: target)
    options.importsReferenceProfiles = false
    try await refuses(options, naming: exported.archive)
    // Under another name, too.
    for name in ["_chat.db", "_agent.db"] {
      try FileManager.default.moveItem(atPath: target + name, toPath: target + "2" + name)
    }
    try await refuses(ChatOptions(databasePrefix: target + "2"), naming: exported.archive)
    // Nor is it exported or surveyed again.
    var export = exported.makeExport()
    export.source += "2"
    let again = ProfileImportError.exportedBefore(to: exported.archive, day: "2026-11-18")
    #expect(throws: again) { try export.run() }
    #expect(throws: again) { try export.survey() }
  }

  /// One of both is enough: the export was killed between them.
  @Test(arguments: ["_chat.db", "_agent.db"]) func isRefusedWithOneSeal(_ name: String) async throws {
    let exported = try ExportedProfile()
    let seal = DatabaseSeal(destination: exported.archive, time: 0, note: "")
    try seal.apply(to: exported.profile.target + name, key: nil)
    try await refuses(ChatOptions(databasePrefix: exported.profile.target), naming: exported.archive)
  }

  private func refuses(_ options: ChatOptions, naming archive: String) async throws {
    do {
      await (try ChatController.open(options)).finish()
      Issue.record("it was opened")
    } catch {
      guard case .errorSQL(_, let text) = error.result else {
        Issue.record("\(error.result)")
        return
      }
      #expect(text.contains("exported to \(archive)"))
    }
  }

  /// After a kill at each step no archive has its name, the profile opens exactly if it is not sealed, and the same
  /// command finishes the export.
  @Test(arguments: ["archive", "seal", "second seal", "name"]) func survivesTheEndOfTheProcess(_ step: String) throws {
    let exported = try ExportedProfile()
    var export = exported.makeExport()
    export.reach = { (reached) throws(ProfileImportError) in
      if reached == step { throw .file("killed") }
    }
    #expect(throws: ProfileImportError.self) { try export.run() }
    #expect(!FileManager.default.fileExists(atPath: exported.archive))
    let target = exported.profile.target
    let isSealed = step == "second seal" || step == "name"
    #expect(((try? AgentDatabase(path: target + "_agent.db")) == nil) == isSealed)
    // A process that is killed does not clean up.
    try Data("x".utf8).write(to: URL(filePath: target + "_agent.db.exported"))
    let result = try exported.makeExport().run()
    #expect(result.isResumed == isSealed)
    #expect((try? ChatDatabase(path: target + "_chat.db")) == nil)
    #expect((try? AgentDatabase(path: target + "_agent.db")) == nil)
    try exported.extract()
    _ = try exported.importReturned()
    let files = try exported.profile.files().keys
    #expect(!files.contains { $0.hasSuffix(".unfinished") || $0.hasSuffix(".new") || $0.hasSuffix(".exported") })
  }

  /// Importing the archive takes the place of the sealed profile, which stays beside it.
  @Test(arguments: ["", "secret"]) func comesBackByAnImport(_ key: String) async throws {
    let exported = try ExportedProfile(passphrase: key.isEmpty ? nil : key)
    let secret = key.isEmpty ? nil : SecretBytes(Array(key.utf8))
    var export = exported.makeExport()
    (export.sourcePassphrase, export.targetPassphrase) = (secret, secret)
    _ = try export.run()
    try exported.extract()
    let target = exported.profile.target
    var importing = ProfileImport(from: exported.returned, to: target)
    (importing.sourcePassphrase, importing.targetPassphrase) = (secret, secret)
    #expect(try importing.run().taken[.messages] == 39)
    var options = ChatOptions(databasePrefix: target)
    options.key = key
    await (try ChatController.open(options)).finish()
    for name in ["_chat.db", "_agent.db"] {
      #expect(FileManager.default.fileExists(atPath: target + name + ProfileImport.importedSuffix))
    }
    // Not a second time: the archive was used.
    try FileManager.default.removeItem(atPath: exported.returned + "_imported.txt")
    try exported.extract()
    #expect(throws: ProfileImportError.targetExists(file: target + "_chat.db")) { try importing.run() }
  }

  @Test func refusesAProfileInUse() async throws {
    let exported = try ExportedProfile()
    let controller = try await ChatController.open(ChatOptions(databasePrefix: exported.profile.target))
    #expect(throws: ProfileImportError.self) { try exported.makeExport().run() }
    await controller.finish()
    _ = try exported.makeExport().run()
  }

  @Test func doesNotReplaceAFile() throws {
    let exported = try ExportedProfile()
    try Data("x".utf8).write(to: URL(filePath: exported.archive))
    #expect(throws: ProfileImportError.file("there is a file already: \(exported.archive)")) {
      try exported.makeExport().run()
    }
    _ = try AgentDatabase(path: exported.profile.target + "_agent.db")
  }
}
