import Senders
import Wire

/// The values of views that clients have attached, each with a publisher of its own.
struct ViewTable {
  let declared: DeclaredViews
  /// The fingerprint of their schema; nil if the feature declares no views.
  let fingerprint: SchemaFingerprint?
  let feed: ViewFeed
  /// For each view, what its values have in common.
  let groups: [ViewGroup]
  private var indices: [ViewDeclaration.Key: Int] = [:]
  private var values: [Int: (key: ViewDeclaration.Key, source: ViewSource)] = [:]
  /// The indices of publishers without a value.
  private var free: [Int] = []

  init(_ declared: DeclaredViews, of source: any StateSource) {
    let feed = ViewFeed(source)
    (self.declared, self.feed) = (declared, feed)
    fingerprint = declared.fingerprint
    groups = declared.views.map { ViewGroup($0, feed) }
  }

  var sources: some Sequence<ViewSource> { values.values.lazy.map(\.source) }

  /// The publisher of a value, if a client has it.
  func publisher(of key: ViewDeclaration.Key) -> Int? { indices[key] }

  /// Adds a value, and returns the index for its publisher, which is at most `end`.
  mutating func add(_ key: ViewDeclaration.Key, _ source: ViewSource, end: Int) -> Int {
    let index = free.popLast() ?? end
    indices[key] = index
    values[index] = (key, source)
    source.group.addValue()
    return index
  }

  /// Removes the value of a publisher.
  mutating func remove(_ index: Int) {
    guard let value = values.removeValue(forKey: index) else { return }
    indices[value.key] = nil
    free.append(index)
    value.source.group.removeValue()
    if values.isEmpty { feed.forget() }
  }
}
