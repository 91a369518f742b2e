/// Events in the order of their times; those of the same time in the order in which they were added.
struct EventQueue<Event> {
  private var heap: [(time: Int64, order: Int, event: Event)] = []
  private var count = 0

  /// Adds an event.
  mutating func add(_ event: Event, at time: Int64) {
    count += 1
    heap.append((time, count, event))
    var index = heap.count - 1
    while index > 0, isBefore(index, (index - 1) / 2) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// The time of the first event.
  var first: Int64? { heap.first?.time }

  /// Removes the first event.
  mutating func next() -> (time: Int64, event: Event)? {
    guard let first = heap.first else { return nil }
    let last = heap.removeLast()
    if !heap.isEmpty {
      heap[0] = last
      var index = 0
      while true {
        var least = index
        for child in [2 * index + 1, 2 * index + 2] where child < heap.count && isBefore(child, least) { least = child }
        guard least != index else { break }
        heap.swapAt(index, least)
        index = least
      }
    }
    return (first.time, first.event)
  }

  /// Removes all events.
  mutating func removeAll() { heap = [] }

  private func isBefore(_ first: Int, _ second: Int) -> Bool {
    (heap[first].time, heap[first].order) < (heap[second].time, heap[second].order)
  }
}
