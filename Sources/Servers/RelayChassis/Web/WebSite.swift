import FileAccess
import SimplexCrypto
import WireCodec

/// The pages of a relay, rendered when it starts.
public struct WebSite: Sendable {
  /// A page.
  public struct Page: Hashable, Sendable {
    /// The HTML.
    public var html: String
    /// The base64 SHA-256 of its script, without which no script runs; nil where it has none.
    public var scriptHash: String?

    /// A page with a title and the HTML of its body, which may have a script at its end.
    package init(title: String, body: String, script: String? = nil) {
      html = WebFrame.html(title: title, body: body + (script.map { "\n<script>\($0)</script>" } ?? ""))
      scriptHash = script.map { Self.base64(HashFunction.sha256.digest(of: Array($0.utf8).span.bytes)) }
    }

    /// The header fields of a response with the page.
    package var fields: [(name: String, value: String)] { Self.fields(size: html.utf8.count, scriptHash: scriptHash) }

    static func fields(size: Int, scriptHash: String?) -> [(name: String, value: String)] {
      let scripts = scriptHash.map { "; script-src 'sha256-\($0)'" } ?? ""
      return [
        ("Content-Type", "text/html; charset=utf-8"), ("Content-Length", "\(size)"),
        (
          "Content-Security-Policy",
          "default-src 'none'; style-src 'unsafe-inline'\(scripts); frame-ancestors 'none'"
        ), ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"),
      ]
    }

    /// In the usual alphabet.
    private static func base64(_ bytes: [UInt8]) -> String {
      String(Base64URL.string(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
    }
  }

  private let pages: [String: Page]

  /// The page about a relay, and others by the names that are their paths, such as `contact`.
  package init(_ information: InformationPage, _ others: [String: Page]) {
    pages = others.merging(["": information.page]) { $1 }
  }

  /// The page at the path of a request, with or without a slash at its end; nil where there is none. Whatever follows a
  /// question mark is ignored.
  public subscript(path: String) -> Page? {
    let name = path.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: true)
    guard path.hasPrefix("/"), name.count <= 1 else { return nil }
    return pages[name.first.map(String.init) ?? ""]
  }

  /// Writes the pages into a folder, for another web server: `index.html`, `contact/index.html` and so on. Everybody
  /// can read them and the folders that are created, whatever the process masks.
  public func write(to folder: String) throws(FileError) {
    try Folder.create(folder, permissions: 0o755)
    for (name, page) in pages {
      let place = name.isEmpty ? folder : "\(folder)/\(name)"
      try Folder.create(place, permissions: 0o755)
      try WholeFile.replace("\(place)/index.html", with: page.html.utf8, permissions: 0o644)
    }
  }
}

extension String {
  /// The text with the characters replaced that have a meaning in HTML.
  var htmlEscaped: String {
    reduce(into: "") { text, character in
      switch character {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "'": text += "&#39;"
      default: text.append(character)
      }
    }
  }
}

/// The frame of all pages. They load nothing else.
enum WebFrame {
  private static let style = """
    :root{color-scheme:light dark}
    body{font:17px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem;overflow-wrap:break-word}
    table{border-collapse:collapse;width:100%}
    th{font-weight:600;text-align:left;width:40%}
    th,td{padding:.4rem .6rem .4rem 0;vertical-align:top;border-bottom:1px solid #8884}
    a.button{display:inline-block;padding:.6rem 1.4rem;border-radius:2rem;background:#0053d0;color:#fff}
    a.button{text-decoration:none}
    canvas{width:20rem;max-width:100%;image-rendering:pixelated;background:#fff;border-radius:.5rem}
    code{user-select:all;word-break:break-all}
    """

  static func html(title: String, body: String) -> String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width,initial-scale=1">
    <meta name="referrer" content="no-referrer">
    <title>\(title.htmlEscaped)</title>
    <style>\(style)</style>
    </head>
    <body>
    \(body)
    </body>
    </html>

    """
  }
}
