import ChatAPI
import SQLiteKit

/// An error of the database; the API has an error of the same name.
typealias SQLFailure = SQLiteKit.SQLiteError

extension StoreError {
  /// The error as the API shows it.
  init(_ error: SQLFailure) {
    self = error.kind == .busy ? .dBBusyError(message: error.message) : .dBException(message: error.description)
  }
}
