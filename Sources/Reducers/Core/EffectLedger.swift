/// Names one running effect within its store.
package struct EffectID: Hashable, Sendable {
  let number: UInt64
}

/// What whoever runs a core's effects must do.
package enum EffectCommand<Action> {
  /// Run this, deliver what it sends with the effect's name, and say when it is over.
  case start(EffectID, EffectOperation<Action>, EffectContext.Place)
  /// Stop running this; nothing more of it will be accepted.
  case cancel(EffectID)
  /// Cancel the named work inside effects: what `withTaskCancellation` runs.
  case cancelTasks(TaskCancellations.Request)

  /// The same for an effect whose actions are turned into those of another type.
  package func map<Other>(_ transform: @escaping @Sendable (Action) -> Other) -> EffectCommand<Other> {
    switch self {
    case .start(let effect, let operation, let place): .start(effect, operation.map(transform), place)
    case .cancel(let effect): .cancel(effect)
    case .cancelTasks(let request): .cancelTasks(request)
    }
  }
}

/// The books on effects: which ones run, under which names, in which order, on behalf of which `send`.
///
/// It interprets effects as they are returned, at reduce time; nothing runs here. So a cancellation that is asked
/// for before the effect's task has begun is not lost.
@usableFromInline
struct EffectLedger<Action> {
  /// A name, and whose it is.
  fileprivate struct Name: Hashable {
    let path: EffectPath
    let id: CancelID
  }

  /// On whose behalf an effect runs.
  struct Context {
    /// The children within children that it belongs to.
    fileprivate(set) var path: EffectPath = []
    /// The names by which it can be cancelled.
    fileprivate var names: [Name] = []
    /// The sequence of which it is the current step.
    var sequence: UInt64?
    /// The outermost `send` that it descends from; 0 when nobody waits for it.
    var cascade: UInt64 = 0

    init(cascade: UInt64) { self.cascade = cascade }
  }

  private struct Running {
    let context: Context
  }

  /// A concatenation on its way: how much of the current step is unfinished, and what comes next.
  private struct Sequence {
    let context: Context
    var unfinished = 0
    var next: EffectTree<Action>?
  }

  private var running: [EffectID: Running] = [:]
  private var sequences: [UInt64: Sequence] = [:]
  private var effectsByID: [CancelID: Set<EffectID>] = [:]
  /// What dismisses the children that are presented, and in whose name it is sent.
  private var dismissals: [EffectPath: (tree: EffectTree<Action>, context: Context)] = [:]
  @usableFromInline var unfinishedByCascade: [UInt64: Int] = [:]
  private var lastNumber: UInt64 = 0
  private var commands: [EffectCommand<Action>] = []
  private var finishedCascades: [UInt64] = []

  /// Whether there is anything to take. A flag, because it is asked in every turn and mostly false.
  @usableFromInline private(set) var hasCommands = false

  var runningCount: Int { running.count }

  func isRunning(_ effect: EffectID) -> Bool { running[effect] != nil }

  @inlinable @inline(__always) func isRunning(cascade: UInt64) -> Bool { unfinishedByCascade[cascade] != nil }

  /// The cascade of a running effect.
  func cascade(of effect: EffectID) -> UInt64 { running[effect]?.context.cascade ?? 0 }

  /// What the runner must do next, in order.
  mutating func takeCommands() -> [EffectCommand<Action>] {
    defer { (commands, hasCommands) = ([], !finishedCascades.isEmpty) }
    return commands.filter {
      // What was cancelled before anyone began it need not begin.
      if case .start(let effect, _, _) = $0 { isRunning(effect) } else { true }
    }
  }

  /// Cascades whose last effect is over.
  mutating func takeFinishedCascades() -> [UInt64] {
    defer { (finishedCascades, hasCommands) = ([], !commands.isEmpty) }
    // An action that an ending effect left behind may have begun another one since.
    return finishedCascades.filter { !isRunning(cascade: $0) }
  }

  /// Begins an effect. Actions that it sends at once go to `send`.
  mutating func begin(_ tree: EffectTree<Action>, _ context: Context, send: (Action, UInt64) -> Void) {
    switch tree {
    case .send(let action):
      send(action, context.cascade)
    case .run(let operation):
      start(operation, context)
    case .merge(let first, let second):
      begin(first, context, send: send)
      begin(second, context, send: send)
    case .concatenate(let first, let second):
      beginSequence(first, then: second, context, send: send)
    case .cancellable(let tree, let name, let cancelInFlight):
      if cancelInFlight { cancel(name, within: context.path, send: send) }
      var context = context
      context.names.append(Name(path: context.path, id: name))
      begin(tree, context, send: send)
    case .cancel(let name):
      cancel(name, within: context.path, send: send)
    case .scoped(let tree, let scope):
      var context = context
      context.path.append(scope)
      begin(tree, context, send: send)
    case .cancelScope(let scope):
      cancel(allWithin: context.path + [scope], send: send)
    case .present(let scope, let dismissal):
      dismissals[context.path + [scope]] = (dismissal, context)
    }
  }

  /// Notes that an effect is over and begins what waited for it.
  mutating func finish(_ effect: EffectID, send: (Action, UInt64) -> Void) {
    guard let context = remove(effect) else { return }
    stepFinished(in: context, send: send)
    release(context.cascade)
  }

  /// Cancels all effects of one cascade.
  mutating func cancel(cascade: UInt64, send: (Action, UInt64) -> Void) {
    for number in sequences.keys where sequences[number]?.context.cascade == cascade {
      sequences[number]?.next = nil
    }
    let effects = running.keys.filter { running[$0]?.context.cascade == cascade }
    for effect in effects.sorted(by: { $0.number < $1.number }) { cancel(effect, send: send) }
  }

  // MARK: Steps

  private mutating func start(_ operation: EffectOperation<Action>, _ context: Context) {
    lastNumber += 1
    let effect = EffectID(number: lastNumber)
    running[effect] = Running(context: context)
    for name in context.names { effectsByID[name.id, default: []].insert(effect) }
    if let sequence = context.sequence { sequences[sequence]?.unfinished += 1 }
    retain(context.cascade)
    ask(
      .start(
        effect, operation, EffectContext.Place(path: context.path, presentation: presentation(of: context.path))))
  }

  private mutating func beginSequence(
    _ first: EffectTree<Action>, then second: EffectTree<Action>, _ context: Context,
    send: (Action, UInt64) -> Void
  ) {
    lastNumber += 1
    let number = lastNumber
    // One unfinished step stands for the beginning itself, so that the sequence cannot end under it.
    sequences[number] = Sequence(context: context, unfinished: 1, next: second)
    if let outer = context.sequence { sequences[outer]?.unfinished += 1 }
    retain(context.cascade)
    var step = context
    step.sequence = number
    begin(first, step, send: send)
    stepFinished(in: step, send: send)
  }

  /// One unfinished part of a sequence's current step is over; with the last one the next step begins.
  private mutating func stepFinished(in context: Context, send: (Action, UInt64) -> Void) {
    guard let number = context.sequence, var sequence = sequences[number] else { return }
    sequence.unfinished -= 1
    let next = sequence.unfinished == 0 ? sequence.next.take() : nil
    if let next {
      sequence.unfinished = 1
      sequences[number] = sequence
      var step = sequence.context
      step.sequence = number
      begin(next, step, send: send)
      stepFinished(in: step, send: send)
    } else if sequence.unfinished == 0 {
      sequences[number] = nil
      stepFinished(in: sequence.context, send: send)
      release(sequence.context.cascade)
    } else {
      sequences[number] = sequence
    }
  }

  // MARK: Cancelling

  /// Cancels the effects of a name that a child or its descendants gave; `Task.cancel(id:)` comes here too.
  mutating func cancel(_ id: CancelID, within path: EffectPath, send: (Action, UInt64) -> Void) {
    func isMeant(_ context: Context) -> Bool {
      context.names.contains { $0.id == id && $0.path.isWithin(path) }
    }
    for number in sequences.keys where sequences[number].map({ isMeant($0.context) }) == true {
      sequences[number]?.next = nil
    }
    for effect in (effectsByID[id] ?? []).sorted(by: { $0.number < $1.number }) {
      guard let context = running[effect]?.context, isMeant(context) else { continue }
      cancel(effect, send: send)
    }
    ask(.cancelTasks(TaskCancellations.Request(id: id, path: path)))
  }

  /// Cancels everything.
  mutating func cancelAll(send: (Action, UInt64) -> Void) { cancel(allWithin: [], send: send) }

  /// Cancels everything that a child and its descendants run.
  private mutating func cancel(allWithin path: EffectPath, send: (Action, UInt64) -> Void) {
    // All elements of a long list may go at once, and mostly none of them runs anything.
    guard !running.isEmpty || !sequences.isEmpty || !dismissals.isEmpty else { return }
    dismissals = dismissals.filter { !$0.key.isWithin(path) }
    for number in sequences.keys where sequences[number]?.context.path.isWithin(path) == true {
      sequences[number]?.next = nil
    }
    let effects = running.filter { $0.value.context.path.isWithin(path) }.keys
    for effect in effects.sorted(by: { $0.number < $1.number }) { cancel(effect, send: send) }
  }

  // MARK: Presentation

  /// Begins what dismisses a presented child; says whether it is there.
  mutating func dismiss(_ path: EffectPath, send: (Action, UInt64) -> Void) -> Bool {
    guard let (tree, context) = dismissals[path] else { return false }
    begin(tree, context, send: send)
    return true
  }

  private func presentation(of path: EffectPath) -> EffectPath? {
    guard !dismissals.isEmpty else { return nil }
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
    ask(.cancel(effect))
    stepFinished(in: context, send: send)
    release(context.cascade)
  }

  private mutating func remove(_ effect: EffectID) -> Context? {
    guard let context = running.removeValue(forKey: effect)?.context else { return nil }
    for name in context.names {
      effectsByID[name.id]?.remove(effect)
      if effectsByID[name.id]?.isEmpty == true { effectsByID[name.id] = nil }
    }
    return context
  }

  // MARK: Cascades

  private mutating func retain(_ cascade: UInt64) {
    if cascade != 0 { unfinishedByCascade[cascade, default: 0] += 1 }
  }

  private mutating func release(_ cascade: UInt64) {
    guard cascade != 0, let count = unfinishedByCascade[cascade] else { return }
    unfinishedByCascade[cascade] = count == 1 ? nil : count - 1
    guard count == 1 else { return }
    finishedCascades.append(cascade)
    hasCommands = true
  }
}
