public import CReducers
internal import Dependencies

/// Reducing, without running anything: what `Store` and the hub have in common.
///
/// Actions go in; the state changes in place; effects that send at once are drained first in, first out; the rest
/// comes out as commands for whoever runs effects. The same inputs give the same state and commands.
public struct ReducerCore<State, Action>: ~Copyable {
  @usableFromInline var reducedCount: UInt64 = 0
  @usableFromInline let reduce: (inout State, Action) -> Effect<Action>
  @usableFromInline var effects = EffectLedger<Action>()
  /// Actions that effects sent at once and that were not reduced yet; empty between sends.
  private var queue: [(action: Action, cascade: UInt64)] = []
  /// The state, in a place of its own: then this has one layout whatever the feature, and none of it is found by asking
  /// the runtime for types.
  @usableFromInline let currentState: UnsafeMutablePointer<State>

  /// Compiles the reducer and begins with a state.
  @inlinable
  public init(initialState: State, reducer: some Reducer<State, Action>) {
    self.init(initialState: initialState, reducer: CompiledReducer(reducer))
  }

  /// Begins with a state and a reducer that was compiled before.
  @inlinable
  public init(initialState: State, reducer: CompiledReducer<State, Action>) {
    self.init(state: initialState, reduce: reducer.reduce)
  }

  @usableFromInline
  init(state: State, reduce: @escaping (inout State, Action) -> Effect<Action>) {
    currentState = .allocate(capacity: 1)
    currentState.initialize(to: state)
    self.reduce = reduce
  }

  deinit {
    currentState.deinitialize(count: 1)
    currentState.deallocate()
  }

  /// The current state.
  @inlinable public var state: State { currentState.pointee }

  /// How many actions were reduced, those of effects included.
  @inlinable public var actionCount: UInt64 { reducedCount }

  // Inlined, since a method would be passed its own type, which generic callers would have to look up.

  /// Whether there are effects to start or to cancel, or cascades to tell of.
  @inlinable @inline(__always) package var hasCommands: Bool { effects.hasCommands }

  /// How many effects run.
  package var runningEffectCount: Int { effects.runningCount }

  /// Reduces an action, and those that its effects send at once.
  ///
  /// - Parameter cascade: Names the send, so that its effects can be waited for and cancelled; 0 for no name.
  /// - Complexity: What the reducer costs; nothing is allocated when it returns `.none`.
  @inlinable @inline(__always)
  public mutating func send(_ action: Action, cascade: UInt64 = 0) {
    if let tree = reduceOnly(action) { begin(tree, cascade: cascade) }
  }

  /// Reduces an action, whose reads are nobody's observation.
  @inlinable @inline(__always)
  mutating func reduceOnly(_ action: Action) -> EffectTree<Action>? {
    reducedCount += 1
    storehub_begin_reducing()
    defer { storehub_end_reducing() }
    return reduce(&currentState.pointee, action).tree
  }

  /// Reduces an action; says whether there are commands then.
  @inlinable @inline(__always)
  package mutating func sendNotingCommands(_ action: Action, cascade: UInt64) -> Bool {
    send(action, cascade: cascade)
    return hasCommands
  }

  /// Reduces an action that an effect sent, unless the effect was cancelled or is over; says whether it was.
  package mutating func send(_ action: Action, from effect: EffectID) -> Bool {
    guard effects.isRunning(effect) else { return false }
    send(action, cascade: effects.cascade(of: effect))
    return true
  }

  /// Notes that an effect is over.
  package mutating func finish(_ effect: EffectID) {
    effects.finish(effect) { queue.append(($0, $1)) }
    drain()
  }

  /// Cancels what runs on behalf of one send.
  package mutating func cancel(cascade: UInt64) {
    effects.cancel(cascade: cascade) { queue.append(($0, $1)) }
    drain()
  }

  /// Cancels the effects of a name that belong to a child or its descendants.
  package mutating func cancel(_ id: CancelID, within path: EffectPath) {
    effects.cancel(id, within: path) { queue.append(($0, $1)) }
    drain()
  }

  /// Cancels all effects.
  package mutating func cancelAll() {
    effects.cancelAll { queue.append(($0, $1)) }
    drain()
  }

  /// Dismisses the innermost presented child of a path; says whether there is one.
  package mutating func dismiss(_ path: EffectPath) -> Bool {
    defer { drain() }
    return effects.dismiss(path) { queue.append(($0, $1)) }
  }

  /// Replaces the state by one that was reached elsewhere by so many actions; effects are not concerned.
  package mutating func restore(_ state: State, actionCount: UInt64) {
    currentState.pointee = state
    reducedCount = actionCount
  }

  /// The send on behalf of which the effects with an id run; nil if none runs.
  package func cascade(of id: CancelID) -> UInt64? { effects.cascade(of: id) }

  /// Whether effects run on behalf of a send.
  @inlinable @inline(__always) package func isRunning(cascade: UInt64) -> Bool { effects.isRunning(cascade: cascade) }

  /// The effects to start and to cancel since the last call, in order.
  package mutating func takeCommands() -> [EffectCommand<Action>] { effects.takeCommands() }

  /// The sends whose last effect is over since the last call.
  package mutating func takeFinishedCascades() -> [UInt64] { effects.takeFinishedCascades() }

  @usableFromInline
  mutating func begin(_ tree: EffectTree<Action>, cascade: UInt64) {
    // An action that is sent alone has nothing to wait for: the queue is empty here.
    var tree = tree
    while case .send(let action) = tree {
      guard let next = reduceOnly(action) else { return }
      tree = next
    }
    beginAndDrain(tree, cascade: cascade)
  }

  @inline(never)
  private mutating func beginAndDrain(_ tree: EffectTree<Action>, cascade: UInt64) {
    effects.begin(tree, EffectLedger.Context(cascade: cascade)) { queue.append(($0, $1)) }
    drain()
  }

  /// A loop, not a recursion: any number of actions may send one another without growing the stack.
  private mutating func drain() {
    var next = 0
    while next < queue.count {
      let (action, cascade) = queue[next]
      next += 1
      // Long chains give back their memory. Moving the rest costs less than what was done since the last time.
      if next >= 1024, next >= queue.count / 2 {
        queue.removeFirst(next)
        next = 0
      }
      guard let tree = reduceOnly(action) else { continue }
      effects.begin(tree, EffectLedger.Context(cascade: cascade)) { queue.append(($0, $1)) }
    }
    queue.removeAll(keepingCapacity: true)
  }
}

/// A reducer as one function, in a shell that passes through generic code without gathering thunks around it.
public struct CompiledReducer<State, Action> {
  @usableFromInline let reduce: (inout State, Action) -> Effect<Action>

  /// Compiles a reducer; dependencies that it looks up on being made are those of this place.
  @inlinable
  public init(_ reducer: some Reducer<State, Action>) {
    reduce = reducer._compile()
  }

  /// A reducer that is a function already.
  package init(_ reduce: @escaping (inout State, Action) -> Effect<Action>) {
    self.reduce = reduce
  }

  /// Reduces an action.
  package func reduce(_ state: inout State, _ action: Action) -> Effect<Action> { reduce(&state, action) }

  /// Compiles a reducer that runs with the dependencies of this place, also when it reads them while reducing.
  ///
  /// Without overrides nothing is added.
  package init(inPlaceOfCreation reducer: some Reducer<State, Action>) {
    let compiled = reducer._compile()
    let dependencies = withEscapedDependencies { $0 }
    reduce =
      dependencies.isEmpty
      ? compiled : { state, action in dependencies.yield { compiled(&state, action) } }
  }
}
