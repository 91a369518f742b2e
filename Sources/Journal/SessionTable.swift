internal import Wire

/// The stored sessions in the order of their last activity: a linked list in an array, with an index by id.
///
/// Every operation is O(1).
struct SessionTable {
  private struct Node {
    var id: SessionID
    var checksum: UInt64
    var time: Int64
    /// The previous and next session in the order of activity.
    var older: Int?
    var newer: Int?
  }

  private var nodes: [Node] = []
  private var free: [Int] = []
  private var indices: [SessionID: Int] = [:]
  private var oldestIndex: Int?
  private var newestIndex: Int?
  /// The sum of the checksums.
  private(set) var sum: UInt64 = 0

  /// The number of sessions.
  var count: Int { indices.count }

  /// The least recently active session and the time of its activity.
  var oldest: (id: SessionID, time: Int64)? { oldestIndex.map { (nodes[$0].id, nodes[$0].time) } }

  /// Makes a session the most recently active one.
  mutating func touch(_ id: SessionID, checksum: UInt64, time: Int64) {
    remove(id)
    let node = Node(id: id, checksum: checksum, time: time, older: newestIndex)
    let index: Int
    if let unused = free.popLast() {
      index = unused
      nodes[index] = node
    } else {
      index = nodes.count
      nodes.append(node)
    }
    if let newestIndex { nodes[newestIndex].newer = index } else { oldestIndex = index }
    newestIndex = index
    indices[id] = index
    sum &+= checksum
  }

  /// Removes a session; returns false if it is missing.
  @discardableResult
  mutating func remove(_ id: SessionID) -> Bool {
    guard let index = indices.removeValue(forKey: id) else { return false }
    let node = nodes[index]
    if let older = node.older { nodes[older].newer = node.newer } else { oldestIndex = node.newer }
    if let newer = node.newer { nodes[newer].older = node.older } else { newestIndex = node.older }
    free.append(index)
    sum &-= node.checksum
    return true
  }
}
