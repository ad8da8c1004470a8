import ChatAPI
import Foundation
import Testing

/// Commands as the functions of the official Python SDK write them.
@Suite("Commands of the Python SDK", .enabled(if: PythonSDK.isInstalled, "the SDK from PyPI cannot be installed"))
struct SDKCommandTests {
  @Test func everyCommandTheSDKWritesParses() throws {
    let result = try PythonSDK.run("sdk_commands.py")
    #expect(result.status == 0, "\(result.errors)")
    let lines = result.output.split(separator: "\n")
    var names: Set<String> = []
    for line in lines {
      let parts = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String])
      let (name, text) = (parts[0], parts[1])
      names.insert(name)
      // Only whole chats can be deleted; the SDK's type allows a part of one.
      if name == "APIDeleteChat", text.contains("(_support") {
        #expect(throws: ChatError.self) { try ChatCommand(parsing: text) }
        continue
      }
      do throws(ChatError) {
        let command = try ChatCommand(parsing: text)
        #expect(try ChatCommand(parsing: command.cmdString) == command, "\(text)")
        // Without a link, connecting is the command that makes an invitation.
        if !name.hasSuffix("Connect") || text.contains("#") {
          #expect(command.cmdType.lowercased() == name.lowercased(), "\(text)")
        }
      } catch {
        Issue.record("\(name): \(text): \(error)")
      }
    }
    #expect(names.count == 52)
    print("commands of the SDK that parse: \(names.count) functions, \(lines.count) texts")
  }
}
