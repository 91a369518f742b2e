import Wire

/// The paths with subscribers, as a tree, so that common prefixes are walked once.
struct ScopeTree {
  /// A place in the state that has subscribers, or that is on the path to one.
  struct Node {
    var parent: Int?
    var step: PathStep?
    /// Fields, cases and the values of optionals, by key. There are few.
    var parts: [(key: UInt64, node: Int)] = []
    /// Elements by their ids.
    var elements: [ElementKey: Int] = [:]
    /// Windows of the elements, whose changes are not among the bytes of a delta.
    var windows: [(start: Int, count: Int, node: Int)] = []
    /// The subscribers to exactly this place.
    var subscribers: [Int] = []
    /// The number of these subscribers that were last sent the absence of a value, or nothing yet.
    var absentCount = 0
    /// The children with such subscribers, directly or below.
    var absentChildren: Set<Int> = []

    var isLeaf: Bool { parts.isEmpty && elements.isEmpty && windows.isEmpty }
    fileprivate var hasAbsent: Bool { absentCount > 0 || !absentChildren.isEmpty }
  }

  private(set) var nodes = [Node()]
  private var free: [Int] = []

  /// The node of the whole state.
  static var root: Int { 0 }

  /// The node of a path, created if necessary.
  mutating func node(at path: [PathStep]) -> Int {
    path.reduce(Self.root) { child(of: $0, $1) }
  }

  private mutating func child(of parent: Int, _ step: PathStep) -> Int {
    let known: Int? =
      switch step {
      case .key(let key): nodes[parent].parts.first { $0.key == key }?.node
      case .id(let id): nodes[parent].elements[ElementKey(id.span.bytes)]
      case .window(let start, let count):
        nodes[parent].windows.first { $0.start == start && $0.count == count }?.node
      }
    if let known { return known }
    let node = free.popLast() ?? nodes.count
    if node == nodes.count { nodes.append(Node()) }
    nodes[node] = Node(parent: parent, step: step)
    switch step {
    case .key(let key): nodes[parent].parts.append((key, node))
    case .id(let id): nodes[parent].elements[ElementKey(id.span.bytes)] = node
    case .window(let start, let count): nodes[parent].windows.append((start, count, node))
    }
    return node
  }

  /// The path of a node.
  func path(of node: Int) -> [PathStep] {
    var steps: [PathStep] = []
    var node = node
    while let step = nodes[node].step, let parent = nodes[node].parent {
      steps.append(step)
      node = parent
    }
    return steps.reversed()
  }

  /// The numbers of subscribers to places, among the first nodes.
  func subscriberCounts(amongFirst limit: Int) -> [(node: Int, count: Int)] {
    nodes.prefix(limit).indices.compactMap { nodes[$0].subscribers.isEmpty ? nil : ($0, nodes[$0].subscribers.count) }
  }

  /// Adds a subscriber that has not been sent anything yet.
  mutating func add(_ subscriber: Int, to node: Int) {
    nodes[node].subscribers.append(subscriber)
    changeAbsentCount(of: node, by: 1)
  }

  /// Removes a subscriber, and nodes that are no longer needed.
  mutating func remove(_ subscriber: Int, from node: Int, hasValue: Bool) {
    nodes[node].subscribers.removeAll { $0 == subscriber }
    if !hasValue { changeAbsentCount(of: node, by: -1) }
    var node = node
    while let parent = nodes[node].parent, let step = nodes[node].step, nodes[node].subscribers.isEmpty,
      nodes[node].isLeaf
    {
      switch step {
      case .key(let key): nodes[parent].parts.removeAll { $0.key == key }
      case .id(let id): nodes[parent].elements[ElementKey(id.span.bytes)] = nil
      case .window: nodes[parent].windows.removeAll { $0.node == node }
      }
      nodes[node] = Node()
      free.append(node)
      node = parent
    }
  }

  /// Records that a subscriber to a node now has a value, or no longer has one.
  mutating func changeAbsentCount(of node: Int, by difference: Int) {
    let had = nodes[node].hasAbsent
    nodes[node].absentCount += difference
    var node = node
    var hasChanged = had != nodes[node].hasAbsent
    while hasChanged, let parent = nodes[node].parent {
      let had = nodes[parent].hasAbsent
      if nodes[node].hasAbsent {
        nodes[parent].absentChildren.insert(node)
      } else {
        nodes[parent].absentChildren.remove(node)
      }
      hasChanged = had != nodes[parent].hasAbsent
      node = parent
    }
  }
}

/// The bytes of an element's id as a key: a single word if they are few, as most are.
struct ElementKey: Hashable {
  /// The bytes, the first one lowest, and their number in the highest byte; for long ids, only the number.
  private let word: UInt64
  private let long: [UInt8]?

  init(_ bytes: RawSpan) {
    let count = bytes.byteCount
    guard count < 8 else {
      word = UInt64(count) << 56
      long = bytes.withUnsafeBytes { [UInt8]($0) }
      return
    }
    var word = UInt64(count) << 56
    for index in 0..<count { word |= UInt64(bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)) << (8 * index) }
    (self.word, long) = (word, nil)
  }
}
