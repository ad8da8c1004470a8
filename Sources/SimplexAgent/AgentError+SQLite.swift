import AgentCore
import SQLiteKit

extension AgentError {
  /// Why the database cannot be opened, without its text, which can name tables.
  init(opening error: SQLiteError) {
    self =
      switch error.kind {
      case .damaged: .store(.damaged)
      case .notADatabase: .store(.wrongKey)
      case .newerSchema(let found, let known): .store(.newerSchema(found: found, known: known))
      case .diskFull: .store(.full)
      case .busy: .store(.busy)
      case .constraint, .cannotOpen, .readOnly, .inputOutput, .unexpectedColumn, .other:
        .store(.other("opening failed with code \(error.code)"))
      }
  }
}
