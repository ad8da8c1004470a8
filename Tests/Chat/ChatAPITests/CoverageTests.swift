import ChatAPI
import Foundation
import SimplexJSON
import Testing

/// The documents that are made from the code; `UPDATE_DOCS=1` writes them instead of comparing.
@Suite("Coverage and pages of commands")
struct CoverageTests {
  @Test func coverageIsUpToDate() throws {
    try check("docs/coverage.md", CoverageText(Specification()).text())
  }

  @Test func nothingOfTheSpecificationIsMissing() throws {
    let missing = try CoverageText(Specification()).missing
    #expect(missing == [])
  }

  /// The evidence distinguishes names that exist from names that do not.
  @Test func evidenceRefusesUnknownNames() throws {
    let evidence = try CoverageEvidence()
    let kinds: [Specification.Kind] = [.command, .response, .event, .error, .type]
    for item in try Specification().items where item.kind == .error || item.kind == .type || item.kind == .response {
      let other = Specification.Item(
        kind: item.kind, group: item.group, name: item.name + "Unheard", askedBy: "core", responses: [], isInSDK: false)
      #expect(evidence.proof(of: other) == nil, "\(item.group) \(item.name)")
    }
    for kind in kinds {
      let item = Specification.Item(
        kind: kind, group: "", name: "unheardOf", askedBy: "core", responses: [], isInSDK: false)
      #expect(evidence.proof(of: item) == nil, "\(kind)")
    }
  }

  @Test func pagesOfCommandsAreUpToDate() throws {
    let pages = try CommandPages.all()
    for page in pages { try check("\(CommandPages.folder)/\(page.file)", page.text) }
    let folder = Repository.folder.appending(path: CommandPages.folder)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix("Commands.md") }
    #expect(Set(files) == Set(pages.map(\.file)))
    let main = try String(contentsOf: folder.appending(path: "ChatAPI.md"), encoding: .utf8)
    #expect(try main.contains("### Commands\n\n" + CommandPages.topics() + "\n"), "the main page lists other pages")
  }

  @Test func referenceForBotsIsUpToDate() throws {
    let reference = try APIReference()
    #expect(reference.unknownEvents.isEmpty)
    #expect(try reference.commandsWithoutState == [])
    let pages = try reference.pages()
    for page in pages { try check("\(APIReference.folder)/\(page.file)", page.text) }
    let folder = Repository.folder.appending(path: APIReference.folder)
    #expect(Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)) == Set(pages.map(\.file)))
    try checkLinks(of: pages)
  }

  /// Every link of the pages leads to a heading that exists.
  private func checkLinks(of pages: [(file: String, text: String)]) throws {
    let headings = Dictionary(
      uniqueKeysWithValues: pages.map { page in
        (page.file, Set(page.text.matches(of: /(?m)^## (.+)$/).map { $0.output.1.lowercased() }))
      })
    for page in pages {
      for link in page.text.matches(of: /\]\(([a-z-]+\.md)?#([a-z0-9_]+)\)/) {
        let file = link.output.1.map(String.init) ?? page.file
        #expect(headings[file]?.contains(String(link.output.2)) == true, "\(page.file): \(link.output.0)")
      }
    }
  }

  private func check(_ path: String, _ text: String) throws {
    let url = Repository.folder.appending(path: path)
    if ProcessInfo.processInfo.environment["UPDATE_DOCS"] == "1" {
      try text.write(to: url, atomically: true, encoding: .utf8)
    }
    let committed = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
    let isCurrent = committed == text
    #expect(isCurrent, "\(path) is not up to date: run UPDATE_DOCS=1 swift test --filter CoverageTests")
  }
}
