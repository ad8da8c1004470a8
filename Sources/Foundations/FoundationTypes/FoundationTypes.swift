// The API uses two Foundation types, `Date` and `Data`. Swift callers of the API get Foundation's own. The C library
// exposes neither, and FoundationEssentials with its dependencies would be a quarter of its size: its build sets
// SIMPLEX_WITHOUT_FOUNDATION and uses replacements of the same names.
#if SIMPLEX_WITHOUT_FOUNDATION
  /// A point in time; ``PlainDate`` in this build.
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
