/// Which location a `Shared` stands for: a box, because its copies follow when it is pointed at another one.
final class Box<Place: Sendable>: Sendable {
  private let guarded: Guarded<Place>

  init(_ place: Place) {
    guarded = Guarded(place)
  }

  var place: Place {
    get { guarded.withLock { $0 } }
    set { guarded.withLock { $0 = newValue } }
  }
}
