import Senders
import Wire

// The value of a view is published like a state of its own: by a publisher that exists while a client has the value, or
// may resume it.

/// A place in a state, as the publisher of that state knows it.
struct PublishedPlace {
  let publisher: Int
  /// The steps from the published value.
  let path: [PathStep]
}

extension HubCore {
  /// The shell's monotonic clock, with which the computations of views are measured; nil for none. Set it before `start`.
  package var viewClock: (() -> Duration)? {
    get { views.feed.clock }
    nonmutating set { views.feed.clock = newValue }
  }

  /// Finds the place of a request that the hub's schema has, and begins to publish it if it is the first for a view's
  /// value.
  ///
  /// - Throws: The reason why a view has no such value.
  mutating func place(of request: Attach, for connection: LiveConnection) throws(PlaceError) -> PublishedPlace {
    guard request.root == .views else { return PublishedPlace(publisher: request.root.index, path: request.path) }
    let stepCount = try stepCount(toViewAt: request.path)
    guard case .key(let number) = request.path[0] else { preconditionFailure("the first step to a view is its number") }
    let (index, prefix) = (Int(number), Array(request.path.prefix(stepCount)))
    let view = views.declared.views[index]
    let parameter: [UInt8]? = if stepCount == 2, case .id(let bytes) = prefix[1] { bytes } else { nil }
    if let parameter, parameter.count > ViewReference.parameterLimit {
      throw PlaceError.refused(.longParameter(view: view.name, byteCount: parameter.count))
    }
    let user = connection.peer.systemUser
    let key = ViewDeclaration.Key(
      view: index, parameter: parameter, user: view.kind.contains(.perUser) ? user : nil)
    let path = Array(request.path.dropFirst(stepCount))
    if let publisher = views.publisher(of: key) {
      views.noteUse(of: publisher, isPublished: publishers[publisher].publishedRevision != nil)
      return PublishedPlace(publisher: publisher, path: path)
    }
    let source = try self.source(of: key, for: user)
    let publisher = views.add(key, source, end: publishers.count)
    let published = Publisher(publisher, of: source, view: prefix, limits: limits.forViews)
    publishers.setView(published, at: publisher)
    return PublishedPlace(publisher: publisher, path: path)
  }

  /// The number of steps of a path to the value of a view.
  ///
  /// - Throws: A refusal if the view has a parameter, and the path has none, or no value of its type.
  func stepCount(toViewAt path: [PathStep]) throws(PlaceError) -> Int {
    do throws(SchemaPathError) { return try views.declared.schema.checkView(path) } catch {
      guard error.step == 1 else {
        throw .unknown(PeerError(.unknownScope, "this hub's feature has no such view: \(error)"))
      }
      throw .refused(.otherParameter(reason: error.reason.prefix(byteCount: 384)))
    }
  }

  private mutating func source(of key: ViewDeclaration.Key, for user: SystemUser) throws(PlaceError) -> ViewSource {
    let (view, group) = (views.declared.views[key.view], views.groups[key.view])
    let identity = ViewIdentity(view.name, parameter: key.parameter, user: key.user)
    if let refusal = mark?.refusal(of: identity) {
      report(.skipped(refusal))
      let reason = """
        the hub's process has ended \(refusal.count) times while it computed 'view:\(view.name)', so it computes it again \
        only after a stop in order
        """
      return ViewSource(group, views.feed, identity, absentBecause: reason)
    }
    do throws(WireError) {
      return ViewSource(group, views.feed, identity, try view.begin(key.parameter, user))
    } catch {
      // The decoder of a feature's type may say anything, also all that the client has sent.
      throw PlaceError.refused(.unreadableParameter(view: view.name, reason: error.description.prefix(byteCount: 384)))
    }
  }

  /// Ends the publication of a view's value that no client has any more; no effect for other publishers.
  mutating func endViewIfUnused(_ publisher: Int) {
    guard publisher >= Publishers.firstView, publishers[publisher].isUnused else { return }
    views.remove(publisher)
    publishers.setView(Publisher(publisher, of: Vacancy(), view: [], limits: limits.forViews), at: publisher)
  }

  /// Ends the values that are only kept for sessions, after many changes of the state. They do not follow the state, so
  /// what they were computed from is in memory beside it: for a view of elements, all of these. Their sessions get
  /// snapshots.
  mutating func endIdleViews() {
    let revision = views.feed.revision
    for (publisher, since) in views.idle where revision - min(since, revision) > limits.viewRetention {
      publishers[publisher].removeVersions()
      endViewIfUnused(publisher)
    }
  }

  /// The fewest steps for one of many first values in a turn: a part of a piece costs as much as the piece.
  private static let viewPiece = 256

  /// Goes on with the first values of views, and with those that catch up. Their clients wait, as for a snapshot, and nobody
  /// else does.
  mutating func prepareViews() {
    var steps = outgoing.pieceLimit < SnapshotPiece.byteLimit ? limits.viewSteps / 4 : limits.viewSteps
    let share = max(steps / views.unprepared.count, Self.viewPiece)
    // Those that get no share in this turn are the first ones in the next.
    for publisher in views.unprepared where steps > 0 {
      let given = min(share, steps)
      views.feed.budget = WorkBudget(steps: given)
      let isPrepared = publishers[publisher].beginIfPrepared()
      steps -= given - views.feed.budget.steps
      views.noteStep(of: publisher, isPrepared: isPrepared)
    }
  }

  /// After a publication: reports slow views, and sets the time at which those that wait are computed.
  mutating func noteViews() {
    for source in views.sources {
      guard let due = source.due else { continue }
      publicationDue = min(publicationDue ?? due, due)
    }
    for group in views.groups {
      guard let duration = group.takeSlowness() else { continue }
      report(.slowView(group.view.name, duration))
    }
  }

  /// What the views have cost that were computed.
  var viewFigures: [ViewFigures] {
    let computed = views.groups.filter { $0.work.count > 0 }
    return computed.sorted { $0.work.total > $1.work.total }.map { group in
      ViewFigures(
        name: group.view.name, values: UInt64(group.count), computations: group.work.count,
        microseconds: UInt64(group.work.total / .microseconds(1)),
        longest: UInt64(group.work.longest / .microseconds(1)))
    }
  }
}

/// The source of a publisher whose view's value nobody has any more.
private final class Vacancy: StateSource {
  let revision: UInt64 = 0

  func currentVersion() -> StateVersion { preconditionFailure("nobody subscribes to a value that is not there") }
}
