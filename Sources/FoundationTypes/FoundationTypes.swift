// The API has two types of Foundation, `Date` and `Data`. Whoever uses the API from Swift gets Foundation's own. The C
// library shows neither, and FoundationEssentials with what it needs would be a quarter of it: its build sets
// SIMPLEX_WITHOUT_FOUNDATION, and takes types of ours by the same names.
#if SIMPLEX_WITHOUT_FOUNDATION
  /// A moment; ``PlainDate`` in this build.
  public typealias Date = PlainDate
  /// Bytes; ``PlainData`` in this build.
  public typealias Data = PlainData
#elseif canImport(FoundationEssentials)
  @_exported import struct FoundationEssentials.Data
  @_exported import struct FoundationEssentials.Date
#else
  @_exported import struct Foundation.Data
  @_exported import struct Foundation.Date
#endif
