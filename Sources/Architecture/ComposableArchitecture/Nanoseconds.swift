// Dispatch has these on Apple platforms. Sources use them for timeouts and `Task.sleep(nanoseconds:)`.

/// The nanoseconds of a second.
public let NSEC_PER_SEC: UInt64 = 1_000_000_000

/// The nanoseconds of a millisecond.
public let NSEC_PER_MSEC: UInt64 = 1_000_000

/// The nanoseconds of a microsecond.
public let NSEC_PER_USEC: UInt64 = 1_000

/// The microseconds of a second.
public let USEC_PER_SEC: UInt64 = 1_000_000
