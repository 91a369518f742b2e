internal import RandomNumbers
import ReplicaCore

// Views that the feature declares: whatever happens, each value is that of the hub's state at its revision.

extension Simulation {
  /// The number of views of one client.
  private static var viewLimit: Int { 4 }

  /// Attaches a view, or detaches one.
  func changeViews(of client: ClientProcess) {
    // A guest may read none.
    guard client.user != Self.guest else { return }
    if views.hits(600), client.views.count < Self.viewLimit {
      report.views += 1
      client.subscribe(views.pick(SimulatedView.all), untyped: client.isTool || views.hits(300))
    } else if !client.views.isEmpty {
      let index = views.number(0...client.views.count - 1)
      client.replica.unsubscribe(client.views.remove(at: index).mirror)
    }
  }

  /// Checks that each view has the value of the hub's state at its revision.
  func checkViews(of client: ClientProcess) throws {
    guard let hub = client.link?.hub else { return }
    for index in client.views.indices {
      let watched = client.views[index]
      guard let revision = watched.mirror.revision, revision != watched.revision else { continue }
      if let last = watched.revision, last > revision, plan.storage == .sync || watched.hub === hub {
        throw Violation(.revisionWentBack, "client \(client.number) went from \(last) to \(revision) of a view")
      }
      (client.views[index].revision, client.views[index].hub) = (revision, hub)
      // The value that a view has for its first client may be of a revision within the turn in which that came.
      guard let state = hub.truth.state(atOrAfter: revision) else {
        throw Violation(
          .stateDiffers, "a view of client \(client.number) is at revision \(revision), at which no turn ended")
      }
      try check(watched, of: client, state)
    }
  }

  /// Checks, at rest, that each view has the value of the hub's state.
  func checkViewsAtRest(of client: ClientProcess, in hub: HubProcess) throws {
    for watched in client.views { try check(watched, of: client, hub.engine.state()) }
  }

  private func check(
    _ watched: ClientProcess.WatchedView, of client: ClientProcess, _ state: any SimulatedState
  ) throws {
    guard watched.bytes() == watched.view.expected(state, client.user) else {
      let refusal = client.replica.refusal(of: watched.mirror) ?? "no refusal"
      throw Violation(
        .stateDiffers, "client \(client.number) has another value of \(watched.view.name) than the hub (\(refusal))")
    }
  }
}

extension ClientProcess {
  /// A view whose mirror the oracle checks.
  struct WatchedView {
    let mirror: any Mirror
    let view: SimulatedView
    let isUntyped: Bool
    let bytes: () -> [UInt8]?
    /// The last checked revision, and the hub that had it.
    var revision: UInt64?
    var hub: HubProcess?
  }

  func subscribe(_ view: SimulatedView, untyped: Bool) {
    let (mirror, bytes) = untyped ? SimulatedPart.untyped() : view.makeMirror()
    replica.subscribe(mirror, to: view.reference, at: view.path, schema: untyped ? nil : view.schema)
    views.append(WatchedView(mirror: mirror, view: view, isUntyped: untyped, bytes: bytes))
  }

  /// Subscribes to the same views as before with new mirrors, as another process does.
  func restartViews() {
    let old = views
    if outbox == nil { for watched in old { replica.unsubscribe(watched.mirror) } }
    views = []
    for watched in old { subscribe(watched.view, untyped: watched.isUntyped) }
  }
}
