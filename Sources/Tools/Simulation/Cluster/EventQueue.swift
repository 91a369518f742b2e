/// Events in the order of their times; those of the same time in the order in which they were added.
struct EventQueue<Event> {
  private var heap = EventHeap()
  // Events stay where they are while their places move.
  private var events: [Event?] = []
  private var free: [Int] = []
  private var count = 0

  /// Adds an event.
  mutating func add(_ event: Event, at time: Int64) {
    count += 1
    let slot: Int
    if let last = free.popLast() {
      slot = last
      events[slot] = event
    } else {
      slot = events.count
      events.append(event)
    }
    heap.add(EventPlace(time: time, order: count, slot: slot))
  }

  /// The time of the first event.
  var first: Int64? { heap.first?.time }

  /// Removes the first event.
  mutating func next() -> (time: Int64, event: Event)? {
    guard let place = heap.removeFirst(), let event = events[place.slot] else { return nil }
    events[place.slot] = nil
    free.append(place.slot)
    return (place.time, event)
  }

  /// Removes all events.
  mutating func removeAll() { (heap, events, free) = (EventHeap(), [], []) }
}

/// When an event happens, and where it waits.
private struct EventPlace {
  let time: Int64
  let order: Int
  let slot: Int

  func isBefore(_ other: EventPlace) -> Bool { time == other.time ? order < other.order : time < other.time }
}

/// A heap of places. It does not know the type of the events, so that tests, which are not optimized, do not look up
/// that type for each comparison and exchange.
private struct EventHeap {
  private var places: [EventPlace] = []

  var first: EventPlace? { places.first }

  mutating func add(_ place: EventPlace) {
    var index = places.count
    places.append(place)
    while index > 0 {
      let parent = (index - 1) / 2
      guard place.isBefore(places[parent]) else { break }
      places[index] = places[parent]
      index = parent
    }
    places[index] = place
  }

  mutating func removeFirst() -> EventPlace? {
    guard let last = places.popLast() else { return nil }
    guard let first = places.first else { return last }
    var index = 0
    while true {
      var child = 2 * index + 1
      guard child < places.count else { break }
      if child + 1 < places.count, places[child + 1].isBefore(places[child]) { child += 1 }
      guard places[child].isBefore(last) else { break }
      places[index] = places[child]
      index = child
    }
    places[index] = last
    return first
  }
}
