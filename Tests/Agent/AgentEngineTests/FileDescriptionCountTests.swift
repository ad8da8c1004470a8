import AgentEngine
import Testing

@Suite struct FileDescriptionCountTests {
  /// As the reference rounds them.
  @Test(arguments: [(0, 4), (1, 4), (4, 4), (5, 8), (8, 8), (20, 32), (33, 64), (64, 64), (400, 512)])
  func descriptionsArePowersOfTwo(_ recipients: Int, _ count: Int) {
    #expect(AgentMachine.descriptionCount(recipients: recipients) == count)
  }
}
