import RelayChassis
import SMPServerCore

extension ServerEvent: CountedEvent {}

/// Counters of events, for all threads.
public typealias ServerStatistics = EventCounts<ServerEvent>
