import Wire

/// The paths that are followed, as a tree: what several of them have in common is walked once.
struct ScopeTree {
  /// A place in the state that is followed, or that is on the way to one.
  struct Node {
    var parent: Int?
    var step: PathStep?
    /// Fields, cases and what optionals hold, by key; few.
    var parts: [(key: UInt64, node: Int)] = []
    /// Elements by the bytes of their ids.
    var elements: [[UInt8]: Int] = [:]
    /// Who follows exactly this place.
    var followers: [Int] = []

    var isLeaf: Bool { parts.isEmpty && elements.isEmpty }
  }

  private(set) var nodes = [Node()]
  private var free: [Int] = []

  /// The node of the whole state.
  static var root: Int { 0 }

  /// The node of a path, made if nobody has followed it yet.
  mutating func node(at path: [PathStep]) -> Int {
    path.reduce(Self.root) { child(of: $0, $1) }
  }

  private mutating func child(of parent: Int, _ step: PathStep) -> Int {
    let known: Int? =
      switch step {
      case .key(let key): nodes[parent].parts.first { $0.key == key }?.node
      case .id(let id): nodes[parent].elements[id]
      }
    if let known { return known }
    let node = free.popLast() ?? nodes.count
    if node == nodes.count { nodes.append(Node()) }
    nodes[node] = Node(parent: parent, step: step)
    switch step {
    case .key(let key): nodes[parent].parts.append((key, node))
    case .id(let id): nodes[parent].elements[id] = node
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

  mutating func addFollower(_ follower: Int, to node: Int) {
    nodes[node].followers.append(follower)
  }

  /// Takes a follower away, and with the last one the nodes that nobody needs any more.
  mutating func removeFollower(_ follower: Int, from node: Int) {
    nodes[node].followers.removeAll { $0 == follower }
    var node = node
    while let parent = nodes[node].parent, let step = nodes[node].step, nodes[node].followers.isEmpty,
      nodes[node].isLeaf
    {
      switch step {
      case .key(let key): nodes[parent].parts.removeAll { $0.key == key }
      case .id(let id): nodes[parent].elements[id] = nil
      }
      nodes[node] = Node()
      free.append(node)
      node = parent
    }
  }
}
