import Wire

/// The publishers of a hub: of each root, in its place, and of the values of views, of which most hubs have none.
struct Publishers {
  private var all: [Publisher]

  /// The index of the first publisher of a view's value; those of the roots precede it.
  static var firstView: Int { StateRoot.views.index }

  /// The publishers of the feature's state, the hub's own and its metrics.
  init(_ roots: [Publisher]) { all = roots }

  var count: Int { all.count }

  var indices: Range<Int> { all.indices }

  /// True if there are publishers of views, also of such that nobody has any more.
  var haveViews: Bool { all.count > Self.firstView }

  /// Without a copy, in place. With a single `yield`, because others are not inlined, and allocate memory.
  subscript(index: Int) -> Publisher {
    @inline(__always) _read { yield all[index] }
    @inline(__always) _modify { yield &all[index] }
  }

  /// Sets the publisher of a view's value, at most at `count`.
  mutating func setView(_ publisher: Publisher, at index: Int) {
    if index == count { all.append(publisher) } else { all[index] = publisher }
  }
}
