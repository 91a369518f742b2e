/// The location of a `Shared`. It is a box, so that copies follow when it is pointed at another location.
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
