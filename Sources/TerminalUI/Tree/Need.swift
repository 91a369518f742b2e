/// The number of rows or columns that a view needs.
package nonisolated struct Need: Equatable, Sendable {
  /// Below this, the view is not readable.
  package var minimum = 0
  /// The number with which the view shows all of its content.
  package var ideal = 0
  /// True if the view can use any further room.
  package var grows = false

  package init(minimum: Int = 0, ideal: Int = 0, grows: Bool = false) {
    (self.minimum, self.ideal, self.grows) = (min(minimum, ideal), ideal, grows)
  }

  /// Exactly this number.
  package static func exactly(_ number: Int) -> Need { Need(minimum: number, ideal: number) }

  /// The need of views beside each other.
  static func total(_ needs: [Need], spacing: Int) -> Need {
    let gaps = spacing * max(needs.count - 1, 0)
    var total = Need(minimum: gaps, ideal: gaps)
    for need in needs {
      total.minimum += need.minimum
      total.ideal += need.ideal
      total.grows = total.grows || need.grows
    }
    return total
  }

  /// The need of views that share the room.
  static func largest(_ needs: [Need]) -> Need {
    needs.reduce(Need()) {
      Need(
        minimum: max($0.minimum, $1.minimum), ideal: max($0.ideal, $1.ideal), grows: $0.grows || $1.grows)
    }
  }

  /// Divides room among views: each gets its minimum if possible, in their order; then all grow evenly to what they
  /// want; then the ones that grow share the rest.
  static func divide(_ room: Int, among needs: [Need], spacing: Int) -> [Int] {
    var rest = max(room - spacing * max(needs.count - 1, 0), 0)
    var sizes = needs.map { need in
      let size = min(need.minimum, rest)
      rest -= size
      return size
    }
    rest = fill(&sizes, rest, to: needs.map(\.ideal))
    let growing = needs.indices.filter { needs[$0].grows }
    for (position, index) in growing.enumerated() {
      let share = rest / (growing.count - position)
      sizes[index] += share
      rest -= share
    }
    return sizes
  }

  /// Raises sizes to their limits as evenly as possible; returns the room that is left.
  private static func fill(_ sizes: inout [Int], _ room: Int, to limits: [Int]) -> Int {
    var rest = room
    var open = sizes.indices.filter { sizes[$0] < limits[$0] }
    while rest > 0, !open.isEmpty {
      let share = max(rest / open.count, 1)
      for index in open where rest > 0 {
        let added = min(share, limits[index] - sizes[index], rest)
        sizes[index] += added
        rest -= added
      }
      open.removeAll { sizes[$0] >= limits[$0] }
    }
    return rest
  }
}
