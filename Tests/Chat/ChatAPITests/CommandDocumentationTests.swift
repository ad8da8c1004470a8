import ChatAPI
import Testing

/// The documentation of a command shows how it is typed; that is what its declaration says.
@Suite struct CommandDocumentationTests {
  @Test(arguments: DocumentedCommand.files)
  func documentedSyntaxIsDeclared(_ file: String) throws {
    let usages = Dictionary(grouping: ChatCommand.syntaxes, by: \.name).mapValues { $0.map(\.usage) }
    let commands = try DocumentedCommand.all(in: file)
    for command in commands {
      let declared = usages[command.name] ?? []
      let isShown = declared.contains { command.documentation.contains("`\($0)`") }
      #expect(isShown, "\(command.name): \(declared)")
    }
    #expect(commands.count > 100)
  }
}
