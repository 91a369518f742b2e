import Wire

/// The paths with subscribers, as a tree: what several of them have in common is walked once.
struct ScopeTree {
  /// A place in the state that has subscribers, or that is on the way to one.
  struct Node {
    var parent: Int?
    var step: PathStep?
    /// Fields, cases and the values of optionals, by key; few.
    var parts: [(key: UInt64, node: Int)] = []
    /// Elements by their ids.
    var elements: [ElementKey: Int] = [:]
    /// The subscribers to exactly this place.
    var subscribers: [Int] = []
    /// How many of them were last sent that nothing is there, or were sent nothing yet.
    var absentCount = 0
    /// The children that have such a subscriber, themselves or below.
    var absentChildren: Set<Int> = []

    var isLeaf: Bool { parts.isEmpty && elements.isEmpty }
    fileprivate var hasAbsent: Bool { absentCount > 0 || !absentChildren.isEmpty }
  }

  private(set) var nodes = [Node()]
  private var free: [Int] = []

  /// The node of the whole state.
  static var root: Int { 0 }

  /// The node of a path, made if it has no subscribers yet.
  mutating func node(at path: [PathStep]) -> Int {
    path.reduce(Self.root) { child(of: $0, $1) }
  }

  private mutating func child(of parent: Int, _ step: PathStep) -> Int {
    let known: Int? =
      switch step {
      case .key(let key): nodes[parent].parts.first { $0.key == key }?.node
      case .id(let id): nodes[parent].elements[ElementKey(id.span.bytes)]
      }
    if let known { return known }
    let node = free.popLast() ?? nodes.count
    if node == nodes.count { nodes.append(Node()) }
    nodes[node] = Node(parent: parent, step: step)
    switch step {
    case .key(let key): nodes[parent].parts.append((key, node))
    case .id(let id): nodes[parent].elements[ElementKey(id.span.bytes)] = node
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

  /// Adds a subscriber that was not sent anything.
  mutating func add(_ subscriber: Int, to node: Int) {
    nodes[node].subscribers.append(subscriber)
    changeAbsentCount(of: node, by: 1)
  }

  /// Removes a subscriber, and with the last one the nodes that nobody needs any more.
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
      }
      nodes[node] = Node()
      free.append(node)
      node = parent
    }
  }

  /// Notes that a subscriber to a node has a value there, or has none any more.
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

/// The bytes of an element's id, as a key to look up: a word when they are few, which most are.
struct ElementKey: Hashable {
  /// The bytes, the first one lowest, with their number in the highest byte; the number alone when they are many.
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
