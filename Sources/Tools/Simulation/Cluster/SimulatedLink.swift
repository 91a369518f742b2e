import ClusterLink

/// A connection between two nodes, with the real core of a link at each end. Bytes wait while their direction is cut,
/// until the cut or the connection ends.
struct SimulatedLink {
  /// The ends while the connection is open: that of the node with the lower index, and the other one.
  var ends: [End]?
  /// Raised whenever the connection opens or ends.
  var epoch = 0
  var isCut = [false, false]
  var cutUntil: Int64 = 0
  /// The bytes under way in each direction, which arrive in order.
  var queues: [[[UInt8]]] = [[], []]
  var stalled = [0, 0]

  /// One end, which outlives no process.
  final class End {
    var link: ClusterLink
    /// The bytes of the snapshot that arrives.
    var arriving: [UInt8] = []

    init(_ link: consuming ClusterLink) { self.link = link }
  }
}
