import Wire

/// The publishers of a hub: of each root, in its place, and of the values of views, of which most hubs have none.
struct Publishers {
  private var roots: InlineArray<3, Publisher>
  private var views: [Publisher] = []

  /// The index of the first publisher of a view's value; those of the roots precede it.
  static var firstView: Int { StateRoot.views.index }

  /// The publishers of the feature's state, the hub's own and its metrics.
  init(_ roots: InlineArray<3, Publisher>) { self.roots = roots }

  var count: Int { Self.firstView + views.count }

  var indices: Range<Int> { 0..<count }

  /// True if there are publishers of views, also of such that nobody has any more.
  var haveViews: Bool { !views.isEmpty }

  /// Without a copy, in place.
  subscript(index: Int) -> Publisher {
    @inline(__always) _read {
      if index < Self.firstView { yield roots[index] } else { yield views[index - Self.firstView] }
    }
    @inline(__always) _modify {
      if index < Self.firstView { yield &roots[index] } else { yield &views[index - Self.firstView] }
    }
  }

  /// Sets the publisher of a view's value, at most at `count`.
  mutating func setView(_ publisher: Publisher, at index: Int) {
    if index == count { views.append(publisher) } else { views[index - Self.firstView] = publisher }
  }
}
