/// What an import could not use.
public struct ImportProblems: Hashable, Sendable {
  /// The number of entries that were malformed or did not fit what came before.
  public private(set) var count = 0
  /// The positions of some of them; not their content, since entries contain secrets.
  public private(set) var examples: [String] = []

  public init() {}

  /// Adds a problem that `count` entries have.
  public mutating func note(_ problem: String, count: Int = 1) {
    self.count += count
    if examples.count < 5 { examples.append(problem) }
  }
}

/// What an import has taken over, for the operator.
public struct ImportReport: Sendable {
  /// What was taken over, as sentences.
  public var lines: [String]
  /// What could not be used.
  public var problems: ImportProblems
  /// What failed after everything was imported, as sentences; the import is not to be repeated.
  public var warnings: [String]

  public init(lines: [String], problems: ImportProblems, warnings: [String] = []) {
    self.lines = lines
    self.problems = problems
    self.warnings = warnings
  }
}
