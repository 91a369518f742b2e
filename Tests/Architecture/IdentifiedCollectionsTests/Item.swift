import IdentifiedCollections
import Synchronization

struct Item: Identifiable, Codable, Hashable, Sendable {
  let id: Int
  var value = 0
}

extension Item: Comparable {
  static func < (lhs: Item, rhs: Item) -> Bool { (lhs.value, lhs.id) < (rhs.value, rhs.id) }
}

/// An id with many hash collisions, as in an attack or by mistake.
struct CollidingID: Hashable, Sendable {
  let number: Int

  func hash(into hasher: inout Hasher) {
    hasher.combine(number % 3)
  }
}

struct CollidingItem: Identifiable, Equatable {
  let id: CollidingID
  var value = 0
}

/// A class instance in an element, for counting the elements' lifetimes.
final class Tracked {
  private static let count = Mutex(0)

  static var living: Int {
    get { count.withLock { $0 } }
    set { count.withLock { $0 = newValue } }
  }

  init() { Tracked.count.withLock { $0 += 1 } }
  deinit { Tracked.count.withLock { $0 -= 1 } }
}

struct TrackedItem: Identifiable {
  let id: String
  let tracked = Tracked()
}

func items(_ ids: some Sequence<Int>) -> IdentifiedArrayOf<Item> {
  IdentifiedArray(uniqueElements: ids.map { Item(id: $0, value: $0 * 10) })
}
