import ProgramSupport

/// The process of a relay on this machine, whose memory and processor time are reported with its rates.
struct ObservedServer {
  private let process: Int32
  private let residentBytes: Double

  /// Nil for 0, and where the system does not report on the process.
  init?(_ process: Int) {
    guard process > 0, let process = Int32(exactly: process), let usage = ProcessUsage(of: process) else { return nil }
    self.process = process
    residentBytes = usage.residentBytes
  }

  /// Processor time since the relay started; nil when it has ended.
  var processorSeconds: Double? { ProcessUsage(of: process)?.processorSeconds }

  /// Adds the growth of memory since the beginning, without `others` (in bytes), divided by a number of items, as a
  /// figure; returns it in bytes for each of them.
  @discardableResult
  func addMemory(for thing: String, _ count: Int, without others: Double = 0, to figures: inout Figures) -> Double {
    guard let now = ProcessUsage(of: process)?.residentBytes else { return 0 }
    let bytes = (now - residentBytes - others) / Double(max(1, count))
    figures.add("server memory for each \(thing)", bytes / 1_000, unit: "KB")
    return bytes
  }
}
