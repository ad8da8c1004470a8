import ChatAPI
import ChatStateTesting
import Testing

@testable import ChatTerminal

/// Lines of devices whose profile is not in use, as the reference's terminal marks them.
@Suite struct RemoteViewTests {
  private func texts(_ lines: [StyledText]) -> [String] { lines.map(\.text) }

  @Test func linesSayTheirDevice() {
    var view = ChatView(user: Samples.user())
    #expect(texts(view.marked(["one", "two"])) == ["one", "two"])
    view.origin = "remote: 1"
    #expect(texts(view.marked(["one", "two"])) == ["[remote: 1] one", "two"])
    #expect(texts(view.marked(view.of(Samples.user(), ["one"]))) == ["[remote: 1] one"])
    var other = Samples.user()
    other.userId += 1
    other.localDisplayName = "bob"
    #expect(texts(view.marked(view.of(other, ["one"]))) == ["[remote: 1, user: bob] one"])
    view.origin = "local"
    #expect(texts(view.marked(view.of(Samples.user(), ["one"]))) == ["[local] one"])
    view.origin = nil
    #expect(texts(view.of(other, ["one"])) == ["[user: bob] one"])
  }

  @Test func commandsAreCompleted() throws {
    func completed(_ line: String) throws -> String {
      try #require(Completion(line)).completed(with: Completion.commands).line
    }
    #expect(try completed("/start r") == "/start remote host ")
    #expect(try completed("/find") == "/find remote ctrl ")
    #expect(try completed("/q") == "/q")
    #expect(try completed("/op") == "/open ")
    #expect(try completed("/cal") == "/call @")
    #expect(Completion("/call @bo")?.kind == .contact)
  }
}
