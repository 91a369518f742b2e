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
  /// With the revision of the state at which each was added.
  private var values: [Int: (key: ViewDeclaration.Key, source: ViewSource, since: UInt64)] = [:]
  /// The indices of publishers without a value.
  private var free: [Int] = []
  /// For each publisher, the number of places of its value that are retained for sessions that may resume.
  private var retained: [Int: Int] = [:]
  /// The publishers whose value no client has attached, which is only kept for sessions that may resume, with the revision
  /// of the state since which that is so.
  private(set) var idle: [Int: UInt64] = [:]
  /// The publishers whose first value, or the first after a time without clients, is not complete, in the order in which
  /// they take turns.
  private(set) var unprepared: [Int] = []

  init(_ declared: DeclaredViews, of source: any StateSource) {
    let feed = ViewFeed(source)
    (self.declared, self.feed) = (declared, feed)
    fingerprint = declared.fingerprint
    groups = declared.views.map { ViewGroup($0, feed) }
  }

  var sources: some Sequence<ViewSource> { values.values.lazy.map(\.source) }

  /// Returns true if a place of a publisher's value may be retained: of at most `limit` values.
  func mayRetain(_ index: Int, limit: Int) -> Bool { retained[index] != nil || retained.count < limit }

  /// Notes that a place of a publisher's value was retained.
  mutating func noteRetained(_ index: Int) { retained[index, default: 0] += 1 }

  /// Notes that a place is no longer retained.
  ///
  /// - Parameter version: The version of the value that was held. The value may have ended since, and another one may have
  ///   its publisher now, which was added later: no version of it is that old.
  mutating func noteReleased(_ index: Int, version: UInt64) {
    guard let count = retained[index], let value = values[index], value.since <= version else { return }
    retained[index] = count > 1 ? count - 1 : nil
  }

  /// The publisher of a value, if a client has it.
  func publisher(of key: ViewDeclaration.Key) -> Int? { indices[key] }

  /// Adds a value, and returns the index for its publisher, which is at most `end`.
  ///
  /// The index may be that of a value that has ended, which `RetainedScope`s of sessions still name. Without a number of
  /// the generation, they do not match the new value: a `RetainedScope` is used only while its publisher keeps the version
  /// that it names. A value ends only when no version of it is held, so that version was dropped for a newer one, or the
  /// state has changed since and `endIdleViews` has removed it. Either way its revision is less than that of the state
  /// when the next value is added, from which the versions of that count. A revision of the state is never used again.
  mutating func add(_ key: ViewDeclaration.Key, _ source: ViewSource, end: Int) -> Int {
    let index = free.popLast() ?? end
    indices[key] = index
    values[index] = (key, source, feed.revision)
    source.group.addValue()
    unprepared.append(index)
    return index
  }

  /// Records that a first value is complete, or that the others come before it.
  mutating func noteStep(of publisher: Int, isPrepared: Bool) {
    unprepared.removeAll { $0 == publisher }
    if !isPrepared { unprepared.append(publisher) }
  }

  /// Notes that no client has a publisher's value attached any more.
  mutating func noteIdle(_ index: Int) { idle[index] = feed.revision }

  /// Notes that a client attaches a publisher's value.
  ///
  /// - Parameters:
  ///   - index: The publisher.
  ///   - isPublished: True if the value is published as it was before this turn. Its clients do not wait for it then.
  mutating func noteUse(of index: Int, isPublished: Bool) {
    guard idle.removeValue(forKey: index) != nil, !isPublished, let source = values[index]?.source else { return }
    source.catchUp()
    if !source.isPrepared, !unprepared.contains(index) { unprepared.append(index) }
  }

  /// Removes the value of a publisher.
  mutating func remove(_ index: Int) {
    idle[index] = nil
    guard let value = values.removeValue(forKey: index) else { return }
    indices[value.key] = nil
    retained[index] = nil
    unprepared.removeAll { $0 == index }
    free.append(index)
    value.source.group.removeValue()
    if values.isEmpty { feed.forget() }
  }
}
