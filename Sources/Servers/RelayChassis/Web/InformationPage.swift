/// The page about a relay: its limits, its operator, source code and hosting.
public struct InformationPage: Sendable {
  /// A table of the page: labels with values.
  public struct Section: Sendable {
    /// The heading.
    public var title: String
    /// The rows.
    public var rows: [(label: String, value: String)]

    public init(_ title: String, _ rows: [(label: String, value: String)]) {
      self.title = title
      self.rows = rows
    }
  }

  private let title: String
  private let sections: [Section]
  private let information: ServerInformation
  private let notice: (html: String, script: String)?

  /// The page of a relay. `sections` come first, then what its operator says.
  /// - Parameter notice: HTML below the title, with the script that it needs.
  public init(
    title: String, sections: [Section], information: ServerInformation, notice: (html: String, script: String)? = nil
  ) {
    self.title = title
    self.sections = sections
    self.information = information
    self.notice = notice
  }

  private static let labels: [(section: String, names: [(name: String, label: String)])] = [
    (
      "Server",
      [
        ("source_code", "Source code"), ("usage_conditions", "Conditions of use"),
        ("condition_amendments", "Amendments of the conditions"), ("server_country", "Country"),
      ]
    ),
    ("Operator", [("operator", "Name"), ("operator_country", "Country"), ("website", "Website")]),
    (
      "Administrator",
      [
        ("admin_simplex", "SimpleX address"), ("admin_email", "E-mail"), ("admin_pgp", "PGP key"),
        ("admin_pgp_fingerprint", "PGP fingerprint"),
      ]
    ),
    (
      "Complaints and feedback",
      [
        ("complaints_simplex", "SimpleX address"), ("complaints_email", "E-mail"), ("complaints_pgp", "PGP key"),
        ("complaints_pgp_fingerprint", "PGP fingerprint"),
      ]
    ),
    ("Hosting", [("hosting", "Provider"), ("hosting_country", "Country"), ("hosting_type", "Type")]),
  ]

  var page: WebSite.Page {
    let own = Self.labels.map { section, names in
      Section(section, names.compactMap { name, label in information.values[name].map { (label, $0) } })
    }
    let tables = (sections + own).filter { !$0.rows.isEmpty }.map { section in
      let rows = section.rows.map { "<tr><th>\($0.label.htmlEscaped)</th><td>\(Self.cell($0.value))</td></tr>" }
      return "<h2>\(section.title.htmlEscaped)</h2>\n<table>\n\(rows.joined(separator: "\n"))\n</table>"
    }
    let parts = ["<h1>\(title.htmlEscaped)</h1>", notice?.html].compactMap { $0 } + tables
    return WebSite.Page(title: title, body: parts.joined(separator: "\n"), script: notice?.script)
  }

  /// A value; links and addresses can be followed.
  private static func cell(_ value: String) -> String {
    let text = value.htmlEscaped
    if ["https://", "http://", "simplex:/"].contains(where: value.hasPrefix) {
      return "<a rel=\"noopener noreferrer\" href=\"\(text)\">\(text)</a>"
    }
    return text
  }
}
