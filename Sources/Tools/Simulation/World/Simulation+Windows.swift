internal import RandomNumbers
import ReplicaCore
import Wire

// Windows of collections: whatever happens, each is a slice of the hub's collection at its revision, as `checkMirrors`
// checks for every place.

extension Simulation {
  /// The number of windows of one client.
  private static var windowLimit: Int { 4 }

  /// Attaches a window, moves one as a user scrolls, or detaches one.
  func changeWindows(of client: ClientProcess, speaking spoken: SimulatedProgram) {
    let open = client.watched.indices.filter { $0 > 0 && client.watched[$0].path.last?.isWindow == true }
    switch windows.number(0...9) {
    case 0...3 where open.count < Self.windowLimit:
      // A guest may read the items only.
      let collection = client.user == Self.guest ? spoken.collections[0] : windows.pick(spoken.collections)
      let isUntyped = client.isTool || windows.hits(300) && spoken.encodeLabel == nil
      // The first is the one that is expected to have the whole state, or the first part.
      guard !client.watched.isEmpty else { return }
      report.windows += 1
      client.subscribe(randomWindow(of: collection), untyped: isUntyped)
    case 9:
      guard let index = open.last else { return }
      client.replica.unsubscribe(client.watched.remove(at: index).mirror)
    default:
      guard !open.isEmpty else { return }
      let index = windows.pick(open)
      let watched = client.watched[index]
      guard let collection = spoken.collections.first(where: { $0.path == Array(watched.path.dropLast()) }) else {
        return
      }
      report.windows += 1
      let part = randomWindow(of: collection)
      client.watched[index].part = part
      if bug != .clientMovesAWindowAlone { client.replica.move(watched.mirror, to: part.path) }
    }
  }

  private func randomWindow(of collection: SimulatedCollection) -> SimulatedPart {
    collection.window(windows.number(-4...6), windows.pick([1, 2, 3, 100]))
  }
}
