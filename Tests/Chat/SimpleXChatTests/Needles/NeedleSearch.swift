import Foundation
import SimplexCrypto
import SimplexTesting
import Testing

@testable import SQLiteKit
@testable import SimpleXChat

/// Looks for planted texts in everything that a profile stores, while its program runs.
enum NeedleSearch {
  static let passphrase = "a passphrase"

  /// The planted texts in the rows of the databases, each with its table.
  static func rows(of core: TestCore) async throws -> [String] {
    var found: [String] = []
    for database in ["chat", "agent"] {
      let tables = try await core.rows("SELECT name FROM sqlite_master WHERE type = 'table'", of: database)
      for table in tables ?? [] {
        let columns = try await core.rows("SELECT name FROM pragma_table_info('\(table)')", of: database) ?? []
        let queries = columns.map {
          "SELECT '\($0): ' || CAST(\($0) AS TEXT) FROM \(table) "
            + "WHERE instr(CAST(\($0) AS BLOB), CAST('\(NeedleStory.mark)' AS BLOB))"
        }
        let rows = try await core.rows(queries.joined(separator: " UNION ALL "), of: database) ?? []
        found += rows.map { row in
          let column = row.prefix { $0 != ":" }
          return "\(core.name), \(database), \(table).\(column): \(excerpt(of: Data(row.utf8)))"
        }
      }
    }
    return found
  }

  /// The planted texts in the files of a profile, each with its file. The logs are emptied before.
  static func files(of core: TestCore, in folder: URL, passphrase: String?) async throws -> [String] {
    try await core.controller.emptyLogsNow()
    var found: [String] = []
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    for case let file as URL in files where file.path.contains("/\(core.name)") {
      guard var content = try? Data(contentsOf: file) else { continue }
      let isDatabase = file.pathExtension.hasPrefix("db")
      if let passphrase, isDatabase { content = try decrypted(content, file, passphrase: passphrase) }
      var rest = content[...]
      while let place = rest.range(of: Data(NeedleStory.mark.utf8)) {
        found.append("\(file.lastPathComponent): \(excerpt(of: rest[place.lowerBound...]))")
        rest = rest[place.upperBound...]
      }
    }
    return found
  }

  private static func excerpt(of data: Data) -> String {
    let start = data.range(of: Data(NeedleStory.mark.utf8))?.lowerBound ?? data.startIndex
    return String(decoding: data[start...].prefix(60), as: UTF8.self)
  }

  /// The pages of an encrypted database or of its log. Those that are not whole are as they are.
  private static func decrypted(_ content: Data, _ file: URL, passphrase: String) throws -> Data {
    let isLog = file.pathExtension == "db-wal"
    guard isLog || file.pathExtension == "db", !content.isEmpty else { return content }
    let database = isLog ? String(file.path.dropLast(4)) : file.path
    let cipher = try PageCipher(
      key: try DatabaseKey(passphrase: SecretBytes(Array(passphrase.utf8)), forFile: database))
    let (first, stride) = isLog ? (56, PageCipher.pageSize + 24) : (0, PageCipher.pageSize)
    var result = Data()
    for start in Swift.stride(from: first, through: content.count - PageCipher.pageSize, by: stride) {
      cipher.page.copyBytes(from: content[start..<start + PageCipher.pageSize])
      let number =
        isLog
        ? content[(start - 24)..<(start - 20)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        : UInt32(start / PageCipher.pageSize + 1)
      #expect(cipher.decryptPage(number), "\(file.lastPathComponent): page \(number)")
      result.append(contentsOf: UnsafeRawBufferPointer(cipher.page))
    }
    return result
  }
}
