import SQLiteKit

/// An error of SQLite, apart from the type of this name that the API has.
typealias SQLFailure = SQLiteKit.SQLiteError
