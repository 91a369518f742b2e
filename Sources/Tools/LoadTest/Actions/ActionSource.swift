internal import JSONText
internal import SchemaNames
internal import Wire

/// The actions of all connections: each is determined by the number of the connection and its own number.
///
/// So an action can be repeated after a reconnection without being stored. Each connection has elements of its own,
/// every n-th of the collection, so that the last of its actions for an element determines the element's final value.
final class ActionSource: Sendable {
  let kinds: [ActionKind]
  let collections: [Elements]
  /// The tag of this run in texts.
  let run: String
  let connections: Int
  let seed: UInt64
  /// The kinds of actions in order, repeated by weight, with the number of earlier occurrences of the kind.
  private let cycle: [(kind: Int, before: Int)]
  private let perCycle: [Int]
  /// The bytes of two cycles, if no action has gaps, and the start of each action.
  private let constant: (bytes: [UInt8], starts: [Int])?
  /// For each collection, true if elements are reserved for actions that remove them.
  private let reserves: [Reserve]
  /// The kind that is sent when no element is left to remove.
  private let fallback: Int?

  private enum Reserve {
    case none, half, all
  }

  /// An action: its kind, its element and the values of its gaps.
  struct Choice {
    var kind: Int
    var values: Segments.Values
    /// The element; nil if the action has none, or one that other connections use too.
    var ownElement: Int?
  }

  init(
    _ plan: Plan, schema: Schema, state: [UInt8], run: String
  ) throws(LoadError) {
    (self.run, connections, seed) = (run, plan.connections, plan.seed)
    var maker = KindMaker(plan, schema: schema, state: state, run: run)
    for action in plan.actions where action.weight > 0 { try maker.add(action) }
    guard !maker.kinds.isEmpty else { throw .scenario("no kind of action has a weight above 0") }
    (kinds, collections) = (maker.kinds, maker.collections)
    for (kind, action) in zip(kinds, plan.actions.filter { $0.weight > 0 }) {
      guard let elements = kind.elements, collections[elements].count == 0 else { continue }
      throw .doesNotFit("'\(action.name)' needs elements, and \(action.ids ?? "the collection") has none")
    }

    try Self.checkRemovals(kinds)

    cycle = Self.mixed(kinds.map(\.weight), plan.seed)
    perCycle = kinds.map(\.weight)
    let all = kinds.map(\.segments.constant)
    if all.allSatisfy({ $0 != nil }) {
      var (bytes, starts): ([UInt8], [Int]) = ([], [])
      // Repeated, so that a frame of many actions is one copy.
      let rounds = max(2, 4096 / max(cycle.count, 1))
      for _ in 0..<rounds {
        for entry in cycle {
          starts.append(bytes.count)
          bytes += all[entry.kind] ?? []
        }
      }
      starts.append(bytes.count)
      constant = (bytes, starts)
    } else {
      constant = nil
    }
    reserves = collections.indices.map { collection in
      let users = maker.kinds.filter { $0.elements == collection }
      if users.allSatisfy(\.removes) { return .all }
      return users.contains(where: \.removes) ? .half : .none
    }
    fallback = kinds.firstIndex { !$0.removes }
    try check(schema)
  }

  /// Rejects kinds that would remove the same elements, and those that leave nothing to send when none is left.
  private static func checkRemovals(_ kinds: [ActionKind]) throws(LoadError) {
    var collections: Set<Int> = []
    for kind in kinds where kind.removes {
      guard let elements = kind.elements, collections.insert(elements).inserted else {
        throw .scenario("'\(kind.name)' and another kind of action remove elements of one collection; only one may")
      }
    }
    guard kinds.count == 1 || !kinds.allSatisfy(\.removes) else {
      throw .scenario("all kinds of actions remove elements; another kind is needed for when none is left")
    }
  }

  /// Rejects a kind whose first action does not match the schema, such as an id in place of a text.
  private func check(_ schema: Schema) throws(LoadError) {
    for kind in kinds {
      var values = Segments.Values()
      values.next = max(0, min(1, (kind.elements.map { collections[$0].count } ?? 0) - 1))
      var bytes: [UInt8] = []
      kind.segments.append(values, kind.elements.map { collections[$0] }, seed: seed, to: &bytes)
      let json = SchemaJSON(schema)
      let isRight: Bool
      do {
        let action = try CBORValue(decoding: bytes.span.bytes)
        isRight = try json.value(of: json.json(of: action, as: schema.action), as: schema.action).encoded() == bytes
      } catch {
        isRight = false
      }
      guard isRight else {
        let placeholders = kind.segments.segments.compactMap(\.placeholder).joined(separator: ", ")
        throw .doesNotFit("'\(kind.name)': \(placeholders) would be a value of another type than the action has")
      }
    }
  }

  // MARK: Actions

  /// Encodes the actions of a connection with numbers from a range, as far as they fit, and returns their count.
  func encode(_ range: Range<Int>, of connection: Int, limit: Int, to encoder: inout CBOREncoder) -> Int {
    if let constant {
      var index = range.lowerBound
      let end = encoder.count + limit
      let entries = constant.starts.count - 1
      while index < range.upperBound, encoder.count < end {
        let place = index % cycle.count
        let count = min(entries - place, range.upperBound - index)
        encoder.append(constant.bytes.span.bytes.extracting(constant.starts[place]..<constant.starts[place + count]))
        index += count
      }
      return index - range.lowerBound
    }
    var scratch: [UInt8] = []
    for index in range {
      scratch.removeAll(keepingCapacity: true)
      let choice = choice(index, of: connection)
      let kind = kinds[choice.kind]
      kind.segments.append(choice.values, kind.elements.map { collections[$0] }, seed: seed, to: &scratch)
      encoder.append(scratch.span.bytes)
      if encoder.count >= limit { return index + 1 - range.lowerBound }
    }
    return range.count
  }

  /// Returns the action of a connection with a number, counted from 0.
  func choice(_ index: Int, of connection: Int) -> Choice {
    let entry = cycle[index % cycle.count]
    let occurrence = index / cycle.count * perCycle[entry.kind] + entry.before
    var choice = Choice(kind: entry.kind, values: Segments.Values(), ownElement: nil)
    choice.values.number = index * connections + connection
    if choose(occurrence, connection, &choice) { return choice }
    // No elements are left for the kind.
    choice.kind = fallback ?? entry.kind
    _ = choose(index, connection, &choice)
    return choice
  }

  /// Returns how many of the first actions of a connection are of each kind.
  ///
  /// - Complexity: O(cycle), whatever the number of actions.
  func kindCounts(ofFirst count: Int, of connection: Int) -> [Int] {
    var counts = perCycle.map { count / cycle.count * $0 }
    for entry in cycle.prefix(count % cycle.count) { counts[entry.kind] += 1 }
    guard let fallback else { return counts }
    for (index, kind) in kinds.enumerated() where kind.removes {
      // The others found no element to remove.
      let excess = max(0, counts[index] - (kind.elements.map { reserved(of: $0, connection) } ?? counts[index]))
      counts[index] -= excess
      counts[fallback] += excess
    }
    return counts
  }

  /// Returns the number of actions that a connection can send; nil for no limit.
  func limit(of connection: Int) -> Int? {
    guard fallback == nil, let elements = kinds[0].elements else { return nil }
    return own(collections[elements].count, connection)
  }

  /// Chooses the element; returns false if none is left.
  private func choose(_ occurrence: Int, _ connection: Int, _ choice: inout Choice) -> Bool {
    let kind = kinds[choice.kind]
    guard let collection = kind.elements else { return true }
    let count = collections[collection].count
    let mine = own(count, connection)
    if kind.removes, mine == 0 { return false }
    // If there are fewer elements than connections, all are shared, and no connection determines a final value.
    if !kind.removes, count < connections {
      choice.values.element = Int(Mix.hash(seed &+ UInt64(connection), UInt64(occurrence)) % UInt64(count))
      choice.values.next = (choice.values.element + 1) % count
      choice.values.flag = occurrence.isMultiple(of: 2)
      return true
    }
    let reserved = reserved(of: collection, connection)
    let local: Int
    if kind.removes {
      guard occurrence < reserved else { return false }
      local = Self.strided(occurrence, reserved) + (mine - reserved)
    } else {
      let live = max(mine - reserved, 1)
      local =
        kind.isRandom
        ? Int(Mix.hash(seed &+ UInt64(connection), UInt64(occurrence)) % UInt64(live)) : Self.strided(occurrence, live)
      let next = Self.strided(occurrence + 1, live)
      choice.values.next = connection + (next == local ? (local + 1) % live : next) * connections
      let was =
        collections[collection].flags.isEmpty ? false : collections[collection].flags[connection + local * connections]
      choice.values.flag = was != (kind.isRandom ? occurrence : occurrence / live).isMultiple(of: 2)
    }
    choice.values.element = connection + local * connections
    choice.ownElement = choice.values.element
    return true
  }

  /// Returns the number of elements of a connection.
  private func own(_ count: Int, _ connection: Int) -> Int {
    count > connection ? (count - connection + connections - 1) / connections : 0
  }

  /// Returns the number of a connection's elements that only removing actions use.
  private func reserved(of collection: Int, _ connection: Int) -> Int {
    let mine = own(collections[collection].count, connection)
    return reserves[collection] == .all ? mine : reserves[collection] == .half ? mine / 2 : 0
  }

  /// Spreads consecutive indices, so that no two in a turn share a leaf of a list.
  private static func strided(_ index: Int, _ count: Int) -> Int {
    index &* (count.isMultiple(of: 7919) ? 1 : 7919) % count
  }

  /// Returns a sequence with each number repeated by its weight, in random order.
  private static func mixed(_ weights: [Int], _ seed: UInt64) -> [(kind: Int, before: Int)] {
    var order = weights.enumerated().flatMap { Array(repeating: $0.offset, count: $0.element) }
    for index in order.indices.dropFirst() {
      order.swapAt(index, Int(Mix.hash(seed, UInt64(index)) % UInt64(index + 1)))
    }
    var seen = Array(repeating: 0, count: weights.count)
    return order.map { kind in
      defer { seen[kind] += 1 }
      return (kind, seen[kind])
    }
  }
}

/// Compiles the kinds of actions of a plan, and reads the collections that they need.
private struct KindMaker {
  private let compiler: TemplateCompiler
  private let reader: StateReader
  private let state: [UInt8]
  private(set) var kinds: [ActionKind] = []
  private(set) var collections: [Elements] = []

  init(_ plan: Plan, schema: Schema, state: [UInt8], run: String) {
    compiler = TemplateCompiler(schema: schema, run: run, payload: plan.payload)
    reader = StateReader(schema: schema)
    self.state = state
  }

  mutating func add(_ action: Plan.Action) throws(LoadError) {
    let effects = EffectReader(compiler: compiler, reader: reader)
    let segments = try compiler.action(action.send)
    let sets = try action.sets.map { (text) throws(LoadError) in try effects.sets(text) }
    let counts = try action.counts.map { (text) throws(LoadError) in try effects.counts(text) }
    let creates = try action.creates.map { (text) throws(LoadError) in try effects.creates(text) }
    var elements: Int?
    if segments.needsElement || action.removes || sets != nil {
      guard let ids = action.ids else {
        throw .scenario(
          "'\(action.send)' is sent to elements; name their collection by --ids PATH, or in a scenario by 'ids = PATH'")
      }
      let path = try compiler.path(ids)
      if let sets, sets.collection != path {
        throw .scenario("'\(action.name)': ids and sets must name the same collection")
      }
      let flag = segments.segments.contains(.toggle) ? sets?.path : nil
      elements = try collection(path, flag: flag)
    }
    let touched = [
      sets.map { $0.collection }, counts?.path, creates?.collection, elements.map { collections[$0].path },
    ]
    kinds.append(
      ActionKind(
        name: action.name, segments: segments, weight: action.weight, isRandom: action.isRandom,
        removes: action.removes, elements: elements, sets: sets.map { ($0.path, $0.value) }, counts: counts,
        creates: creates, touched: touched.compactMap(\.self)))
  }

  /// Returns the index of a collection. One with flags is different from the same one without.
  private mutating func collection(_ path: [PathStep], flag: [PathStep]?) throws(LoadError) -> Int {
    if let index = collections.firstIndex(where: { $0.path == path }) {
      if flag != nil, collections[index].flags.isEmpty {
        collections[index] = try Elements(at: path, flag: flag, of: state, reader)
      }
      return index
    }
    collections.append(try Elements(at: path, flag: flag, of: state, reader))
    return collections.count - 1
  }
}
