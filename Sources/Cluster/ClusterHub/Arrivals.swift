/// The connections that were accepted and are not links yet: whoever reaches the port can open them, without a
/// certificate.
///
/// They have places of their own, which open links do not take. When all are taken, the address with the most of them
/// loses its oldest one. So a flood from one address, or from a few, takes no place of another address. The newest one is
/// never refused, so that a node is let in that has an address in common with the flood: it needs its place for the
/// round trips of a handshake only.
nonisolated struct Arrivals {
  private let limit: Int
  /// Oldest first.
  private var waiting: [(id: ObjectIdentifier, address: String)] = []

  /// Creates places.
  ///
  /// - Parameter nodes: The number of nodes that may link with this one. Each can have some connections at the same time,
  ///   while earlier ones that are broken end.
  init(nodes: Int) { limit = 4 * nodes + 16 }

  /// Gives a connection a place.
  ///
  /// - Returns: The connection that loses its place for it; nil if one was free.
  /// - Complexity: O(number of places).
  mutating func add(_ id: ObjectIdentifier, from address: String) -> (id: ObjectIdentifier, address: String)? {
    waiting.append((id, address))
    guard waiting.count > limit else { return nil }
    let counts = waiting.reduce(into: [:]) { $0[$1.address, default: 0] += 1 }
    let most = counts.values.max()
    return waiting.firstIndex { counts[$0.address] == most }.map { waiting.remove(at: $0) }
  }

  /// Releases the place of a connection that has become a link, or has ended.
  mutating func remove(_ id: ObjectIdentifier) { waiting.removeAll { $0.id == id } }
}
