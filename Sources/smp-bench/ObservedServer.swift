import ProgramSupport

/// The process of a relay on this machine, whose memory and processor time are told beside what it does.
struct ObservedServer {
  private let process: Int32
  private let residentBytes: Double

  /// Nil for 0, and where the system tells nothing of the process.
  init?(_ process: Int) {
    guard process > 0, let process = Int32(exactly: process), let usage = ProcessUsage(of: process) else { return nil }
    self.process = process
    residentBytes = usage.residentBytes
  }

  /// Processor time since the relay started; nil when it has ended.
  var processorSeconds: Double? { ProcessUsage(of: process)?.processorSeconds }

  /// Adds the memory that came since the beginning as a figure for each of so many things.
  func addMemory(for thing: String, _ count: Int, to figures: inout Figures) {
    guard let now = ProcessUsage(of: process)?.residentBytes else { return }
    figures.add("server memory for each \(thing)", (now - residentBytes) / Double(max(1, count)) / 1_000, "KB")
  }
}
