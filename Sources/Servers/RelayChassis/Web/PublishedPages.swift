/// Settings with pages for browsers that are written into a folder, for another web server.
public protocol PublishedPages {
  /// The pages.
  var site: WebSite { get }
  /// The folder into which they are written; nil for none.
  var webFolder: String? { get }
  /// Why they could not be written.
  var pagesProblem: String? { get set }
}

extension PublishedPages {
  /// Writes the pages, and returns settings that say whether that failed: clients are served nevertheless.
  public func writingPages() -> Self {
    var settings = self
    settings.pagesProblem = nil
    guard let webFolder else { return settings }
    do { try site.write(to: webFolder) } catch { settings.pagesProblem = "\(error)" }
    return settings
  }

  /// Where the pages are, as lines of the log; none where they are not written.
  public var pagesSummary: [String] {
    guard let webFolder else { return [] }
    let problem = pagesProblem.map { "cannot be written: \($0)" } ?? "are written to \(webFolder)"
    return ["Pages for browsers \(problem)"]
  }
}
