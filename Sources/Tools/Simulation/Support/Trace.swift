/// A hash of the events of a run. Runs with the same hash had the same events.
struct Trace {
  private(set) var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  private(set) var count = 0
  /// Receives each event as a line; nil without a reader.
  private let print: ((String) -> Void)?

  init(print: ((String) -> Void)?) { self.print = print }

  /// Records an event with its numbers.
  mutating func note(_ now: Duration, _ event: StaticString, _ first: Int = 0, _ second: Int = 0, _ third: Int = 0) {
    count += 1
    mix(UInt64(truncatingIfNeeded: now.components.seconds))
    mix(UInt64(truncatingIfNeeded: now.components.attoseconds))
    for byte in UnsafeBufferPointer(start: event.utf8Start, count: event.utf8CodeUnitCount) { mix(UInt64(byte)) }
    mix(UInt64(bitPattern: Int64(first)))
    mix(UInt64(bitPattern: Int64(second)))
    mix(UInt64(bitPattern: Int64(third)))
    print?("\(now) \(event) \(first) \(second) \(third)")
  }

  /// Records bytes that were written or delivered.
  mutating func note(_ bytes: some Sequence<UInt8>) { for byte in bytes { mix(UInt64(byte)) } }

  /// Explains the last event to readers; not part of the hash.
  func explain(_ text: @autoclosure () -> String) { print?("    \(text())") }

  private mutating func mix(_ word: UInt64) { hash = (hash ^ word) &* 0x0000_0100_0000_01b3 }
}
