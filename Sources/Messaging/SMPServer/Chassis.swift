@_exported import RelayChassis

/// Why a relay cannot start or be changed.
public typealias SMPServerError = RelayError
