internal import Wire

/// Compares the final state with the expected effects of the acknowledged actions.
///
/// Other clients may have acted too; the hub's revision gives the total number of actions. Elements that this run
/// created are recognised by their values, so that each must exist exactly once, whatever other clients do.
struct Verification {
  let source: ActionSource
  let reader: StateReader
  /// The state and the revision at the start.
  let before: ControlSession.Snapshot
  let after: ControlSession.Snapshot
  /// The number of acknowledged actions of each connection.
  let answered: [Int: Int]
  /// The numbers of the rejected ones, by connection.
  let refused: [Int: Set<Int>]
  /// The successful checks, as sentences.
  private(set) var checks: [String] = []
  /// The expectations that could not be checked, as sentences.
  private(set) var unchecked: [String] = []
  private(set) var counts: [(path: String, before: Int, after: Int)] = []
  /// The number of actions of other clients.
  private(set) var others = 0
  /// The maximum number of actions of a connection whose elements are checked: the first created ones, the last changes.
  private let limit: Int
  /// True if no other client acts, and the hub sends itself no actions.
  private let isAlone: Bool

  init(
    source: ActionSource, reader: StateReader, before: ControlSession.Snapshot, after: ControlSession.Snapshot,
    answered: [Int: Int], refused: [Int: Set<Int>], isAlone: Bool = false, limit: Int = 20_000_000
  ) {
    (self.source, self.reader, self.before, self.after, self.answered) = (source, reader, before, after, answered)
    (self.refused, self.isAlone, self.limit) = (refused, isAlone, limit)
  }

  /// Verifies all expectations of the scenario.
  mutating func run(named paths: [[PathStep]: String]) throws(LoadError) {
    let sum = answered.values.reduce(0, +) - refused.values.reduce(0) { $0 + $1.count }
    guard after.revision >= before.revision, Int(after.revision - before.revision) >= sum else {
      throw .wrong(
        "the hub acknowledged \(sum) actions, but its revision went from \(before.revision) to \(after.revision)")
    }
    others = Int(after.revision - before.revision) - sum
    guard others == 0 || !isAlone else {
      throw .wrong(
        "the hub acknowledged \(sum) actions, but its revision grew by \(others) more, and no other client should act")
    }
    // An action that took effect twice would look like one of another client.
    checks.append(
      others == 0
        ? "\(sum) actions acknowledged, each counted once by the hub's revision"
        : "\(sum) actions acknowledged; the hub's revision grew by these and \(others) more, of others or the hub itself"
    )
    try verifyCounts(paths)
    try verifyElements()
    for kind in source.kinds where kind.creates != nil { try verifyCreated(kind) }
  }

  /// Verifies what the subscribers received.
  ///
  /// - Parameter isChangedByAll: True if every action of the run changes the part of every subscriber.
  mutating func verifySubscribers(
    _ figures: ThreadFigures, of watchers: Int, isChangedByAll: Bool
  ) throws(LoadError) {
    guard watchers > 0 else { return }
    let totals = figures.totals
    if totals.hashes > 0 {
      checks.append(
        "\(totals.mirrors) of \(watchers) subscribers applied every change, and had the hub's hash \(totals.hashes) times"
      )
    }
    if totals.deltas > 0 {
      checks.append("every change at every subscriber followed the one before it: \(totals.deltas) changes")
    } else {
      unchecked.append("the order of changes at the subscribers, because none was sent")
    }
    let others = watchers - totals.mirrors
    guard others > 0 else { return }
    // The last action changed every part, so a subscriber without its revision lacks that change.
    guard isChangedByAll, self.others == 0 else {
      return unchecked.append("the last change at \(others) subscribers, which keep no copy of their large parts")
    }
    guard totals.behind == 0 else {
      throw .wrong("\(totals.behind) subscribers did not receive the change at revision \(figures.lastRevision)")
    }
    checks.append("the other \(others) subscribers reached revision \(figures.lastRevision)")
  }

  /// Adds another successful check.
  mutating func note(_ check: String) { checks.append(check) }

  // MARK: Counts

  private mutating func verifyCounts(_ paths: [[PathStep]: String]) throws(LoadError) {
    var expected: [[PathStep]: Int] = [:]
    let sums = kindSums()
    for (index, kind) in source.kinds.enumerated() {
      if let (path, by) = kind.counts { expected[path, default: 0] += by * sums[index] }
    }
    for (path, growth) in expected.sorted(by: { "\($0.key)" < "\($1.key)" }) {
      let name = paths[path] ?? "\(path)"
      guard let old = try reader.number(at: path, of: before.bytes),
        let new = try reader.number(at: path, of: after.bytes)
      else { throw .doesNotFit("\(name) is neither a number nor a collection") }
      counts.append((name, old, new))
      // Each action of another client may have changed it by one. The numbers may be of any size.
      guard (new &- old &- growth).magnitude <= others else {
        throw .wrong(
          "\(name) went from \(old) to \(new) and not to \(old &+ growth): actions were lost or took effect twice"
            + (others > 0 ? ", and the \(others) actions of others do not explain it" : ""))
      }
      checks.append(
        others == 0
          ? "\(name) is \(new), as \(old) and these actions make it"
          : "\(name) is \(new), which the actions of other clients can explain")
    }
  }

  private func isRefused(_ index: Int, _ connection: Int) -> Bool {
    !refused.isEmpty && refused[connection]?.contains(index) ?? false
  }

  /// Returns the number of acknowledged actions of each kind.
  private func kindSums() -> [Int] {
    var sums = Array(repeating: 0, count: source.kinds.count)
    for (connection, count) in answered {
      for (kind, number) in source.kindCounts(ofFirst: count, of: connection).enumerated() { sums[kind] += number }
      for index in refused[connection] ?? [] where index < count {
        sums[source.choice(index, of: connection).kind] -= 1
      }
    }
    return sums
  }

  // MARK: Elements

  /// The expected element: the values of parts, or its absence.
  private struct Expectation {
    var parts: [(kind: Int, value: [UInt8])] = []
    var isRemoved = false
  }

  private mutating func verifyElements() throws(LoadError) {
    for collection in source.collections.indices {
      let kinds = source.kinds.indices.filter {
        source.kinds[$0].elements == collection && (source.kinds[$0].sets != nil || source.kinds[$0].removes)
      }
      guard !kinds.isEmpty else { continue }
      let count = source.collections[collection].count
      let shared = kinds.filter { !source.kinds[$0].removes }.map { source.kinds[$0].name }
      if count < source.connections, !shared.isEmpty {
        unchecked.append(
          "the parts that \(shared.joined(separator: ", ")) set, because \(source.connections) connections share "
            + "\(count) elements")
      }
      try verify(source.collections[collection], expectations(of: kinds, collection))
    }
  }

  /// The last action for each part determines its value, and each connection has elements of its own.
  private func expectations(of kinds: [Int], _ collection: Int) -> [UInt64: Expectation] {
    let elements = source.collections[collection]
    var expected: [UInt64: Expectation] = [:]
    for (connection, count) in answered {
      for index in (max(0, count - limit)..<count).reversed() where !isRefused(index, connection) {
        let choice = source.choice(index, of: connection)
        let kind = source.kinds[choice.kind]
        guard kinds.contains(choice.kind), let element = choice.ownElement else { continue }
        let key = Mix.hash(elements.id(element))
        if kind.removes {
          expected[key, default: Expectation()].isRemoved = true
        } else if let sets = kind.sets {
          let known = expected[key]?.parts.contains { source.kinds[$0.kind].sets?.path == sets.path } ?? false
          guard !known else { continue }
          var value: [UInt8] = []
          sets.value.append(choice.values, elements, seed: source.seed, to: &value)
          expected[key, default: Expectation()].parts.append((choice.kind, value))
        }
      }
    }
    return expected
  }

  private mutating func verify(_ elements: Elements, _ expected: [UInt64: Expectation]) throws(LoadError) {
    guard !expected.isEmpty, let part = try reader.part(at: elements.path, of: after.bytes),
      let type = reader.element(of: part.type)
    else { return }
    var (right, wrong, seen, removed) = (0, 0, 0, 0)
    var failure: LoadError?
    try reader.forEachElement(at: elements.path, of: after.bytes) { id, value in
      guard failure == nil, let expectation = expected[Mix.hash(after.bytes[id])] else { return }
      if expectation.isRemoved {
        failure = .wrong("an element that was removed is still there")
        return
      }
      seen += 1
      for part in expectation.parts {
        do throws(LoadError) {
          let path = source.kinds[part.kind].sets?.path ?? []
          let range = try reader.part(path, ofElement: value, type, in: after.bytes)
          if range.map({ after.bytes[$0].elementsEqual(part.value) }) ?? false { right += 1 } else { wrong += 1 }
        } catch {
          failure = failure ?? error
        }
      }
    }
    if let failure { throw failure }
    removed = expected.values.count { $0.isRemoved }
    let missing = expected.count - removed - seen
    guard wrong + missing <= others else {
      throw .wrong(
        "\(wrong) of \(right + wrong) parts of elements are not what the last action for them said, and \(missing) "
          + "elements are missing" + (others > 0 ? "; \(others) actions of others do not explain it" : ""))
    }
    if right + wrong > 0 {
      checks.append(
        "\(right) parts of elements have the value of the last action for them"
          + (wrong + missing > 0 ? "; \(wrong + missing) were changed by others" : ""))
    }
    if removed > 0 { checks.append("\(removed) removed elements are gone") }
  }

  // MARK: Created elements

  private mutating func verifyCreated(_ kind: ActionKind) throws(LoadError) {
    guard let creates = kind.creates, let part = try reader.part(at: creates.collection, of: after.bytes),
      let type = reader.element(of: part.type)
    else { return }
    var found: [UInt64: Int] = [:]
    for (connection, count) in answered {
      for index in 0..<min(count, limit) where !isRefused(index, connection) {
        let choice = source.choice(index, of: connection)
        guard source.kinds[choice.kind].name == kind.name else { continue }
        var value: [UInt8] = []
        creates.value.append(choice.values, nil, seed: source.seed, to: &value)
        found[Mix.hash(value)] = 0
      }
    }
    var failure: LoadError?
    try reader.forEachElement(at: creates.collection, of: after.bytes) { _, value in
      do throws(LoadError) {
        guard let range = try reader.part(creates.field, ofElement: value, type, in: after.bytes) else { return }
        let key = Mix.hash(after.bytes[range])
        if let count = found[key] { found[key] = count + 1 }
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
    let twice = found.values.count { $0 > 1 }
    let lost = found.values.count { $0 == 0 }
    guard twice == 0 else { throw .wrong("\(twice) of \(found.count) created elements exist more than once") }
    guard lost <= others else { throw .wrong("\(lost) of \(found.count) created elements do not exist") }
    guard !found.isEmpty else { return }
    checks.append(
      "\(found.count - lost) created elements exist exactly once"
        + (lost > 0 ? "; \(lost) were changed or removed by others" : ""))
  }
}
