/// Names one running effect within its store.
package struct EffectID: Hashable, Sendable {
  package let number: UInt64
}

/// A command of a core to the runner of its effects.
package enum EffectCommand<Action> {
  /// Runs an operation, delivers its actions with the effect's id, and reports its end.
  case start(EffectID, EffectOperation<Action>, EffectContext.Place)
  /// Stops an effect. The core accepts no more of its actions.
  case cancel(EffectID)
  /// Cancels the work with an id that `withTaskCancellation` runs inside effects.
  case cancelTasks(TaskCancellations.Request)

  /// The same command for an effect whose actions are mapped to another type.
  package func map<Other>(_ transform: @escaping @Sendable (Action) -> Other) -> EffectCommand<Other> {
    switch self {
    case .start(let effect, let operation, let place): .start(effect, operation.map(transform), place)
    case .cancel(let effect): .cancel(effect)
    case .cancelTasks(let request): .cancelTasks(request)
    }
  }
}

/// The effects of an action that a client has numbered.
package struct NumberedEffects {
  /// The action's number.
  package let number: UInt64
  /// The cascade of its effects.
  package let cascade: UInt64
}

/// The running effects with their ids, children and order, and the `send` that started each.
///
/// It interprets effects when a reducer returns them, and runs nothing, so a cancellation that precedes the start of an
/// effect's task is not lost. The cost of finding the effects of an id, child or `send` does not depend on the number
/// of others.
@usableFromInline
struct EffectLedger<Action> {
  /// A running concatenation: the unfinished parts of the current step, and the next step.
  private struct Sequence {
    let context: EffectOrigin
    var unfinished = 0
    var next: EffectTree<Action>?
    /// True if it stands for work with a declared restart, which is its only step.
    var isRestarting = false
  }

  /// The work that several sends hold.
  private var shared = SharedWork<EffectName>()
  private var running: [EffectID: RunningEffect] = [:]
  private var sequences: [UInt64: Sequence] = [:]
  // Effects and sequences draw their numbers from one counter. Each is listed for every child that contains it.
  private var numbersByName: [EffectName: Set<UInt64>] = [:]
  private var numbersByPath: [EffectPath: Set<UInt64>] = [:]
  private var numbersByCascade: [UInt64: Set<UInt64>] = [:]
  private var dismissalsByPath: [EffectPath: Set<EffectPath>] = [:]
  /// The actions that dismiss the presented children with effects, and the cascades of their last effects.
  private var dismissals: [EffectPath: (action: Action, cascade: UInt64)] = [:]
  @usableFromInline var unfinishedByCascade: [UInt64: Int] = [:]
  /// The places on the paths of all running work. Behind a pointer, because reducers access it through their thread.
  private let places: UnsafeMutablePointer<EffectPlaces>
  private var lastNumber: UInt64 = 0
  /// The number of the last effect whose start was taken.
  private var lastTakenNumber: UInt64 = 0
  /// True if an effect was cancelled whose start was not taken yet.
  private var hasUnstarted = false
  private var commands: [EffectCommand<Action>] = []
  private var finishedCascades: [UInt64] = []
  /// The beginnings and ends of work with a declared restart; nil if nobody records them.
  private var restarts: EffectRestarts<Action>?

  /// The numbered actions with running effects, and the cascades of these, since they were last taken.
  private var numbered: [NumberedEffects] = []
  private var lastNumberedCascade: UInt64 = 0

  /// The refusal of an action whose effects were begun since it was last taken.
  var refusal: Refusal?

  /// True if there are commands, finished cascades or changes of restarts to take. A flag, because every turn reads it
  /// and it is mostly false.
  @usableFromInline private(set) var hasCommands = false

  /// - Parameter places: Memory that outlives the ledger.
  @usableFromInline
  init(places: UnsafeMutablePointer<EffectPlaces>) { self.places = places }

  /// Takes the first refusal since the last call; nil if no action was refused.
  mutating func takeRefusal() -> Refusal? { refusal.take() }

  var runningCount: Int { running.count }

  func isRunning(_ effect: EffectID) -> Bool { running[effect] != nil }

  @inlinable @inline(__always) func isRunning(cascade: UInt64) -> Bool { unfinishedByCascade[cascade] != nil }

  /// The cascade of a running effect.
  func cascade(of effect: EffectID) -> UInt64 { running[effect]?.context.cascade ?? 0 }

  /// The cascade of the running effects with an id; nil if none runs.
  func cascade(of id: CancelID) -> UInt64? {
    numbersByName[EffectName(path: [], id: id)]?.first.map { number in
      running[EffectID(number: number)]?.context.cascade ?? sequences[number]?.context.cascade ?? 0
    }
  }

  /// The commands since the last call, in order.
  mutating func takeCommands() -> [EffectCommand<Action>] {
    defer { (commands, hasCommands, lastTakenNumber) = ([], !finishedCascades.isEmpty, lastNumber) }
    guard hasUnstarted else { return commands }
    hasUnstarted = false
    // An effect that was cancelled before it began is neither started nor cancelled.
    var unstarted: Set<EffectID> = []
    return commands.filter {
      switch $0 {
      case .start(let effect, _, _):
        if isRunning(effect) { return true }
        unstarted.insert(effect)
        return false
      case .cancel(let effect): return unstarted.isEmpty || unstarted.remove(effect) == nil
      case .cancelTasks: return true
      }
    }
  }

  /// Takes the cascades whose last effect has ended.
  mutating func takeFinishedCascades() -> [UInt64] {
    defer { (finishedCascades, hasCommands) = ([], !commands.isEmpty) }
    // An action left behind by an ending effect may have begun another one since.
    return finishedCascades.filter { !isRunning(cascade: $0) }
  }

  /// Returns a cascade for the effects of a numbered action.
  mutating func nextNumberedCascade() -> UInt64 {
    lastNumberedCascade += 1
    return lastNumberedCascade
  }

  /// Notes the number of an action whose effects have begun.
  mutating func note(_ effects: NumberedEffects) {
    guard isRunning(cascade: effects.cascade) else { return }
    numbered.append(effects)
    hasCommands = true
  }

  /// Takes the numbered actions whose effects have begun since the last call.
  mutating func takeNumbered() -> [NumberedEffects] {
    defer { if !numbered.isEmpty { numbered = [] } }
    return numbered
  }

  /// Begins an effect. Actions that it sends at once go to `send`.
  mutating func begin(_ tree: EffectTree<Action>, _ context: EffectOrigin, send: (Action, UInt64) -> Void) {
    perform(.begin(tree, context), send: send)
  }

  /// Removes an effect that has ended and begins the effects that waited for it.
  mutating func finish(_ effect: EffectID, send: (Action, UInt64) -> Void) {
    guard let context = remove(effect) else { return }
    finishStep(in: context, send: send)
    release(context.cascade)
  }

  /// Cancels all effects of one cascade, but of shared work only what no other one holds.
  mutating func cancel(cascade: UInt64, send: (Action, UInt64) -> Void) {
    letGo(cascade, send: send)
    cancel(numbersByCascade[cascade] ?? [], send: send)
  }

  /// Returns true if a cascade holds shared work.
  func holdsShared(_ cascade: UInt64) -> Bool { shared.isHeld(by: cascade) }

  /// Lets go of the shared work that a cascade holds, and cancels what no other one holds.
  mutating func letGo(_ cascade: UInt64, send: (Action, UInt64) -> Void) {
    for (work, isLast) in shared.letGo(cascade) {
      if isLast { cancel(cascade: work, send: send) }
      release(cascade)
    }
  }

  // MARK: Restarts

  /// True if the ledger records work with a declared restart, and the actions that begin effects.
  var recordsRestarts: Bool { restarts != nil }

  /// Records work with a declared restart from now on.
  ///
  /// - Parameter number: Effects get larger numbers than this.
  mutating func recordRestarts(after number: UInt64) {
    restarts = EffectRestarts()
    lastNumber = max(lastNumber, number)
  }

  /// Takes the work with a declared restart that has begun or ended since the last call.
  mutating func takeRestarts() -> EffectRestarts<Action> {
    guard let taken = restarts, !taken.isEmpty else { return EffectRestarts() }
    restarts = EffectRestarts()
    return taken
  }

  /// The effect that began last.
  var lastEffect: EffectID { EffectID(number: lastNumber) }

  /// The running effects without a declared restart that began after another one, in the order in which they began.
  func effectsWithoutRestart(after effect: EffectID) -> [(site: CompositionSite?, cause: Action?)] {
    running.filter { $0.key.number > effect.number && !$0.value.context.isRestarted }
      .sorted { $0.key.number < $1.key.number }.map { ($0.value.site, $0.value.context.cause?.action as? Action) }
  }

  // MARK: Steps

  private mutating func start(_ operation: EffectOperation<Action>, _ context: EffectOrigin) {
    lastNumber += 1
    let effect = EffectID(number: lastNumber)
    let isStream = operation.subscription != nil
    running[effect] = RunningEffect(context: context, isStream: isStream, site: operation.site)
    if isStream { places.pointee.streamCount += 1 }
    list(lastNumber, context)
    if let sequence = context.sequence { sequences[sequence]?.unfinished += 1 }
    retain(context.cascade)
    ask(
      .start(
        effect, operation,
        EffectContext.Place(path: context.path, presentation: presentation(of: context.path).map { .inStore($0) })))
  }

  /// A part of the work on a tree.
  private enum Work {
    case begin(EffectTree<Action>, EffectOrigin)
    /// One part of the current step of the context's sequence has ended.
    case finishStep(EffectOrigin)
    /// A sequence of the cascade has ended.
    case release(cascade: UInt64)
  }

  /// Does the work and all that follows from it. A loop, not a recursion: a tree may be as deep as a reducer's list of
  /// effects is long.
  private mutating func perform(_ first: Work, send: (Action, UInt64) -> Void) {
    var postponed: [Work] = []
    var next: Work? = first
    while let work = next {
      switch work {
      case .begin(let tree, let context): next = begin(tree, context, &postponed, send: send)
      case .finishStep(let context): next = finishStep(in: context, &postponed)
      case .release(let cascade):
        release(cascade)
        next = nil
      }
      if next == nil, !postponed.isEmpty { next = postponed.removeLast() }
    }
  }

  /// Begins the root of a tree. Returns the work to do next, and adds what follows it to the end of `postponed`.
  private mutating func begin(
    _ tree: EffectTree<Action>, _ context: EffectOrigin, _ postponed: inout [Work], send: (Action, UInt64) -> Void
  ) -> Work? {
    switch tree {
    case .send(let action):
      send(action, context.cascade)
    case .run(let operation):
      start(operation, context)
    case .merge(let first, let second):
      postponed.append(.begin(second, context))
      return .begin(first, context)
    case .concatenate(let first, let second):
      return beginSequence(first, then: second, context, &postponed)
    case .cancellable(let tree, let name, let cancelInFlight):
      if cancelInFlight { cancel(name, within: context.path, send: send) }
      var context = context
      context.names.append(EffectName(path: context.path, id: name))
      return .begin(tree, context)
    case .shared(let tree, let name):
      return share(tree, EffectName(path: context.path, id: name), context, &postponed)
    case .cancel(let name):
      cancel(name, within: context.path, send: send)
    case .scoped(let tree, let scope, let dismissal):
      var context = context
      context.path.append(scope)
      if let dismissal { present(context.path, dismissal: dismissal, cascade: context.cascade) }
      return .begin(tree, context)
    case .cancelScope(let scope):
      cancel(allWithin: context.path + [scope], send: send)
    case .refusal(let refused):
      if refusal == nil { refusal = refused }
    case .restarting(let tree, let action):
      guard restarts != nil else { return .begin(tree, context) }
      var context = context
      context.isRestarted = true
      let step = beginSequence(tree, then: nil, context, &postponed)
      sequences[lastNumber]?.isRestarting = true
      restarts?.begin(lastNumber, action)
      hasCommands = true
      return step
    }
    return nil
  }

  private mutating func beginSequence(
    _ first: EffectTree<Action>, then second: EffectTree<Action>?, _ context: EffectOrigin, _ postponed: inout [Work]
  ) -> Work {
    lastNumber += 1
    let number = lastNumber
    // One unfinished part stands for the beginning itself, so that the sequence cannot end under it.
    sequences[number] = Sequence(context: context, unfinished: 1, next: second)
    list(number, context)
    if let outer = context.sequence { sequences[outer]?.unfinished += 1 }
    retain(context.cascade)
    return beginStep(first, of: number, context, &postponed)
  }

  /// Begins work for all who start it, unless it runs: then the cascade holds what runs.
  private mutating func share(
    _ tree: EffectTree<Action>, _ name: EffectName, _ context: EffectOrigin, _ postponed: inout [Work]
  ) -> Work? {
    if let work = shared[name] {
      for holder in shared.holders(of: work, startedBy: context.cascade) where shared.hold(work, by: holder) {
        retain(holder)
      }
      return nil
    }
    lastNumber += 1
    let work = shared.add(name, number: lastNumber)
    if shared.hold(work, by: context.cascade) { retain(context.cascade) }
    var context = context
    context.names.append(name)
    context.cascade = work
    // Until it has begun as a whole, so that it cannot end under that.
    retain(work)
    postponed.append(.release(cascade: work))
    return .begin(tree, context)
  }

  private func beginStep(
    _ tree: EffectTree<Action>, of sequence: UInt64, _ context: EffectOrigin, _ postponed: inout [Work]
  ) -> Work {
    var step = context
    step.sequence = sequence
    postponed.append(.finishStep(step))
    return .begin(tree, step)
  }

  /// Ends a part of a sequence's current step; most effects have no sequence.
  private mutating func finishStep(in context: EffectOrigin, send: (Action, UInt64) -> Void) {
    if context.sequence != nil { perform(.finishStep(context), send: send) }
  }

  /// Marks one part of a sequence's current step as ended; the last one begins the next step.
  private mutating func finishStep(in context: EffectOrigin, _ postponed: inout [Work]) -> Work? {
    guard let number = context.sequence, var sequence = sequences[number] else { return nil }
    sequence.unfinished -= 1
    if sequence.unfinished == 0, let next = sequence.next.take() {
      sequence.unfinished = 1
      sequences[number] = sequence
      return beginStep(next, of: number, sequence.context, &postponed)
    }
    guard sequence.unfinished == 0 else {
      sequences[number] = sequence
      return nil
    }
    sequences[number] = nil
    unlist(number, sequence.context)
    if sequence.isRestarting {
      restarts?.end(number)
      hasCommands = true
    }
    postponed.append(.release(cascade: sequence.context.cascade))
    return .finishStep(sequence.context)
  }

  // MARK: Cancelling

  /// Cancels the effects with an id that a child or its descendants assigned, also for `Task.cancel(id:)`.
  mutating func cancel(_ id: CancelID, within path: EffectPath, send: (Action, UInt64) -> Void) {
    cancelEffects(id, within: path, send: send)
    ask(.cancelTasks(TaskCancellations.Request(id: id, path: path)))
  }

  /// Cancels the effects with an id that a child or its descendants assigned, but not the work inside effects. The
  /// caller has already cancelled that work; work that has begun since then must keep running.
  mutating func cancelEffects(_ id: CancelID, within path: EffectPath, send: (Action, UInt64) -> Void) {
    cancel(numbersByName[EffectName(path: path, id: id)] ?? [], send: send)
  }

  /// Cancels everything.
  mutating func cancelAll(send: (Action, UInt64) -> Void) { cancel(allWithin: [], send: send) }

  /// Cancels the effects of a child and its descendants.
  mutating func cancel(allWithin path: EffectPath, send: (Action, UInt64) -> Void) {
    // A long list may lose all its elements at once, most of them without running effects.
    guard !running.isEmpty || !sequences.isEmpty || !dismissals.isEmpty else { return }
    for dismissal in dismissalsByPath[path] ?? [] {
      if dismissals.removeValue(forKey: dismissal) != nil { places.pointee.remove(dismissal) }
      for prefix in dismissal.prefixes { dismissalsByPath.remove(dismissal, at: prefix) }
    }
    let all = path.isEmpty ? Set(running.keys.map(\.number)).union(sequences.keys) : numbersByPath[path]
    cancel(all ?? [], send: send)
    if places.pointee.streamCount > 0 { ask(.cancelTasks(TaskCancellations.Request(id: .allWork, path: path))) }
  }

  /// Cancels effects and the next steps of sequences, in the order in which they began.
  private mutating func cancel(_ numbers: Set<UInt64>, send: (Action, UInt64) -> Void) {
    for number in numbers { sequences[number]?.next = nil }
    for number in numbers.sorted() { cancel(EffectID(number: number), send: send) }
  }

  // MARK: Lists

  private mutating func list(_ number: UInt64, _ context: EffectOrigin) {
    if !context.path.isEmpty { places.pointee.add(context.path) }
    for prefix in context.path.prefixes.dropFirst() { numbersByPath[prefix, default: []].insert(number) }
    for name in context.names {
      for prefix in name.path.prefixes {
        numbersByName[EffectName(path: prefix, id: name.id), default: []].insert(number)
      }
    }
    if context.cascade != 0 { numbersByCascade[context.cascade, default: []].insert(number) }
  }

  private mutating func unlist(_ number: UInt64, _ context: EffectOrigin) {
    if !context.path.isEmpty { places.pointee.remove(context.path) }
    for prefix in context.path.prefixes.dropFirst() { numbersByPath.remove(number, at: prefix) }
    for name in context.names {
      for prefix in name.path.prefixes { numbersByName.remove(number, at: EffectName(path: prefix, id: name.id)) }
    }
    if context.cascade != 0 { numbersByCascade.remove(number, at: context.cascade) }
  }

  // MARK: Presentation

  /// Sends the action that dismisses a presented child; returns true if the child is presented.
  func dismiss(_ path: EffectPath, send: (Action, UInt64) -> Void) -> Bool {
    guard let (action, cascade) = dismissals[path] else { return false }
    send(action, cascade)
    return true
  }

  /// Keeps the action that dismisses a child until the child's effects are cancelled as a whole, when it is gone.
  private mutating func present(_ path: EffectPath, dismissal: Action, cascade: UInt64) {
    guard dismissals.updateValue((dismissal, cascade), forKey: path) == nil else { return }
    places.pointee.add(path)
    for prefix in path.prefixes { dismissalsByPath[prefix, default: []].insert(path) }
  }

  private func presentation(of path: EffectPath) -> EffectPath? {
    // As empty as `dismissals`, but access to a dictionary of a generic type looks up that type.
    guard !dismissalsByPath.isEmpty else { return nil }
    var path = path
    while !path.isEmpty, dismissals[path] == nil { path.removeLast() }
    return path.isEmpty ? nil : path
  }

  // MARK: One effect

  private mutating func ask(_ command: EffectCommand<Action>) {
    commands.append(command)
    hasCommands = true
  }

  private mutating func cancel(_ effect: EffectID, send: (Action, UInt64) -> Void) {
    guard let context = remove(effect) else { return }
    if effect.number > lastTakenNumber { hasUnstarted = true }
    ask(.cancel(effect))
    finishStep(in: context, send: send)
    release(context.cascade)
  }

  private mutating func remove(_ effect: EffectID) -> EffectOrigin? {
    guard let effectRunning = running.removeValue(forKey: effect) else { return nil }
    if effectRunning.isStream { places.pointee.streamCount -= 1 }
    unlist(effect.number, effectRunning.context)
    return effectRunning.context
  }

  // MARK: Cascades

  private mutating func retain(_ cascade: UInt64) {
    if cascade != 0 { unfinishedByCascade[cascade, default: 0] += 1 }
  }

  private mutating func release(_ cascade: UInt64) {
    guard cascade != 0, let count = unfinishedByCascade[cascade] else { return }
    unfinishedByCascade[cascade] = count == 1 ? nil : count - 1
    guard count == 1 else { return }
    guard !SharedWork<EffectName>.isShared(cascade) else {
      for holder in shared.remove(cascade) { release(holder) }
      return
    }
    finishedCascades.append(cascade)
    hasCommands = true
  }
}

extension Dictionary {
  /// Removes a member of a key's set, and the set with its last member.
  mutating func remove<Member>(_ member: Member, at key: Key) where Value == Set<Member> {
    guard let index = index(forKey: key) else { return }
    values[index].remove(member)
    if values[index].isEmpty { remove(at: index) }
  }
}
