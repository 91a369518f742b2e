import Allocations

/// Measures operations, prints a row for each.
///
/// A figure is the least of many batches: what disturbs a batch only ever makes it slower.
@MainActor
final class Bench {
  private let filter: String?
  private let clock = ContinuousClock()
  private var figures: [String: Double] = [:]

  init(filter: String?) {
    self.filter = filter
  }

  func section(_ title: String) {
    print("\n| \(title) | ns | allocations |\n|---|--:|--:|")
  }

  /// Measures `body`, which does its operation as often as it is told.
  ///
  /// - Parameter step: The operation can only be done so many times at once.
  func measure(_ name: String, step: Int = 1, _ body: (Int) -> Void) {
    guard isWanted(name) else { return }
    // The first call also pays for the runtime's caches of types; counted, it would end the search for a batch's length.
    body(step)
    var count = step
    while time({ body(count) }) < .milliseconds(2), count < 1 << 22 { count *= 2 }
    let times = (0..<25).map { _ in time { body(count) } }
    let before = allocation_count()
    body(count)
    note(name, times.min(), count, allocation_count() - before)
  }

  /// Measures `body` on a value that is made anew each time, since it can be done only once to each.
  ///
  /// - Parameter step: How many operations `body` does.
  func measureOnce<Value>(_ name: String, step: Int, of make: () -> Value, _ body: (Value) -> Void) {
    guard isWanted(name) else { return }
    var times: [Duration] = []
    var allocations = UInt64.max
    for _ in 0..<7 {
      let value = make()
      let before = allocation_count()
      times.append(time { body(value) })
      allocations = min(allocations, allocation_count() - before)
    }
    note(name, times.min(), step, allocations)
  }

  /// Measures asynchronous work.
  ///
  /// - Parameter step: How many operations `body` does.
  func measure(_ name: String, count: Int, step: Int = 1, _ body: () async -> Void) async {
    guard isWanted(name) else { return }
    var times: [Duration] = []
    var allocations = UInt64.max
    for _ in 0..<15 {
      let (start, before) = (clock.now, allocation_count())
      for _ in 0..<count { await body() }
      times.append(clock.now - start)
      allocations = min(allocations, allocation_count() - before)
    }
    note(name, times.min(), count * step, allocations)
  }

  /// Prints a figure that is no time.
  func note(_ name: String, _ words: String) {
    guard isWanted(name) else { return }
    print("| \(name) | \(words) | |")
  }

  /// Prints how one figure stands to another, and what was wanted.
  func ratio(_ name: String, _ first: String, to second: String, goal: String) {
    guard let first = figures[first], let second = figures[second] else { return }
    print("| *\(name)* | *\(decimal(first / second))×, goal \(goal)* | |")
  }

  /// Whether rows of this name are asked for.
  func isWanted(_ name: String) -> Bool {
    filter.map { name == $0 || (name.contains($0) && !$0.hasSuffix("$")) || "\(name)$" == $0 } ?? true
  }

  private func time(_ body: () -> Void) -> Duration {
    let start = clock.now
    body()
    return clock.now - start
  }

  private func note(_ name: String, _ time: Duration?, _ count: Int, _ allocations: UInt64) {
    let nanoseconds = (time ?? .zero) / .nanoseconds(1) / Double(count)
    figures[name] = nanoseconds
    print("| \(name) | \(decimal(nanoseconds)) | \(decimal(Double(allocations) / Double(count))) |")
  }

  private func decimal(_ number: Double) -> String {
    if number >= 100 || number == number.rounded() { return "\(Int(number.rounded()))" }
    let hundredths = Int((number * 100).rounded())
    return "\(hundredths / 100).\(hundredths % 100 / 10)\(hundredths % 10)"
  }
}

/// Keeps the optimizer from finding out that nobody looks at a value.
@inline(never)
func keep<Value>(_ value: Value) {
  withUnsafePointer(to: value) { look_at($0) }
}
