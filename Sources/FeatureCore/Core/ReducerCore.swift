public import CFeatureCore
internal import Dependencies
internal import IssueReporting

/// The part of reducing that `Store` and the hub share. It runs no effects.
///
/// Actions go in and change the state in place. Actions that effects send synchronously are reduced first in, first
/// out. The remaining effects come out as commands. The same inputs give the same state and commands.
public struct ReducerCore<State, Action>: ~Copyable {
  @usableFromInline var reducedCount: UInt64 = 0
  @usableFromInline let reducer: CompiledReducer<State, Action>
  /// Tells whether the target of an action may be gone; nil if that is found out while it is reduced.
  @usableFromInline let targetCheck: TargetCheck<State, Action>?
  @usableFromInline var effects: EffectLedger<Action>
  /// The places of the running effects, for queries by the reducer.
  @usableFromInline let places: UnsafeMutablePointer<EffectPlaces>
  /// The actions to reduce next; empty between sends.
  package let queue = ActionQueue<Action>()
  /// The state, allocated separately: the layout of this type is then the same for every feature, and no access looks
  /// up types at run time.
  @usableFromInline let currentState: UnsafeMutablePointer<State>
  /// The actions that have followed the ends of effects since they were last taken, oldest first; nil if nobody records
  /// them.
  private var steps: [Action]?
  /// Those of the actions of effects, in a store of one process.
  private let effectSurroundings = ReducerSurroundings(sender: { .effect })
  /// True if the actions that effects send synchronously are discarded when they end or are cancelled.
  package var discardsSentActions = false

  /// Compiles the reducer and takes an initial state.
  @inlinable
  public init(initialState: State, reducer: some Reducer<State, Action>) {
    self.init(initialState: initialState, reducer: CompiledReducer(reducer))
  }

  /// Takes an initial state and a compiled reducer.
  public init(initialState: State, reducer: CompiledReducer<State, Action>) {
    self.init(initialState: initialState, reducer: reducer, targetCheck: nil, lateActions: .reported)
  }

  /// Compiles the reducer of a hub, whose clients may send actions for children that are gone.
  @inlinable
  package init(ofHub initialState: State, reducer: some Reducer<State, Action>) {
    let (reducer, check) = TargetChecks.gather { CompiledReducer(reducer) }
    // A reducer that may refuse is run on a kept state in any case.
    self.init(
      initialState: initialState, reducer: reducer, targetCheck: reducer.mayRefuse ? nil : check,
      lateActions: reducer.mayRefuse ? .refused : .refusedBeforeChanges)
  }

  @usableFromInline
  init(
    initialState: State, reducer: CompiledReducer<State, Action>, targetCheck: TargetCheck<State, Action>?,
    lateActions: LateActions
  ) {
    currentState = .allocate(capacity: 1)
    currentState.initialize(to: initialState)
    places = .allocate(capacity: 1)
    places.initialize(to: EffectPlaces())
    effects = EffectLedger(places: places)
    self.reducer = reducer
    self.targetCheck = targetCheck
    places.pointee.lateActions = lateActions
    if lateActions != .reported { noteSender(.hub) }
  }

  deinit {
    currentState.deinitialize(count: 1)
    currentState.deallocate()
    places.deinitialize(count: 1)
    places.deallocate()
  }

  /// The current state.
  @inlinable public var state: State { currentState.pointee }

  /// The number of reduced actions, including those of effects.
  @inlinable public var actionCount: UInt64 { reducedCount }

  // Inlined: a method would receive its own type as an argument, which generic callers would have to look up.

  /// True if the reducer may refuse actions. Whoever calls ``send(_:cascade:)`` then keeps a ``checkpoint()``, and
  /// returns to it if ``takeRefusal()`` returns a refusal.
  @inlinable @inline(__always) package var mayRefuse: Bool { reducer.mayRefuse }

  /// Takes the refusal of an action since the last call; nil if none was refused.
  package mutating func takeRefusal() -> Refusal? { effects.takeRefusal() }

  /// Makes a change; if an action in it is refused, everything is as before it.
  ///
  /// - Returns: The change's result, or the refusal.
  /// - Complexity: That of the change, and of a checkpoint if the reducer may refuse.
  package mutating func attempt<Result>(
    _ change: (inout ReducerCore) -> Result
  ) -> Swift.Result<Result, Refusal> {
    guard mayRefuse else { return .success(change(&self)) }
    let checkpoint = checkpoint()
    let result = change(&self)
    guard let refusal = takeRefusal() else { return .success(result) }
    rollBack(to: checkpoint)
    return .failure(refusal)
  }

  /// How actions for children that are gone are treated; reported in the beginning.
  package var lateActions: LateActions {
    get { places.pointee.lateActions }
    set { places.pointee.lateActions = newValue }
  }

  /// Makes a change in which actions for children that are gone are issues: they are the program's own.
  package mutating func withOwnActions<Result>(_ change: (inout ReducerCore) -> Result) -> Result {
    let outer = lateActions
    lateActions = .reported
    defer { lateActions = outer }
    if places.pointee.origin != nil { noteSender(.hub) }
    return change(&self)
  }

  /// Notes the sender of the actions that follow.
  @inlinable @inline(__always)
  package mutating func noteSender(_ sender: SendingClient) {
    places.pointee.origin = PresentationOrigin(session: sender.session, revision: reducedCount)
    places.pointee.seenRevision = sender.seenRevision
  }

  /// True if there are effects to start or cancel, or finished cascades.
  @inlinable @inline(__always) package var hasCommands: Bool { effects.hasCommands }

  /// The number of running effects.
  package var runningEffectCount: Int { effects.runningCount }

  /// Reduces an action and the actions that its effects send synchronously.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - cascade: Names the send, so that its effects can be waited for and cancelled; 0 for no name.
  /// - Complexity: That of the reducer; nothing is allocated if it returns `.none`.
  @inlinable @inline(__always)
  public mutating func send(_ action: Action, cascade: UInt64 = 0) {
    if let tree = reduceOnly(action) { begin(tree, of: action, cascade: cascade) }
  }

  /// Sends an action, and again as long as `isRepeated` returns true after it.
  ///
  /// The action's route is looked up once. Reads are not observed while `isRepeated` runs, so it must not access a store.
  ///
  /// - Parameter number: The action's number, for effects that its sender may cancel; the next ones follow. 0 for none.
  /// - Returns: True if the last action was refused; `isRepeated` was not called after it.
  @inlinable @inline(__always)
  package mutating func send(_ action: Action, number: UInt64, while isRepeated: () -> Bool) -> Bool {
    if let targetCheck { return send(action, number: number, after: targetCheck, while: isRepeated) }
    var number = number
    let step: UInt64 = number == 0 ? 0 : 1
    let route = reducer.route(of: action)
    let outer = beginReducing()
    // With the property itself, Swift 6.3 cannot compile the access for the thread sanitizer.
    let state = currentState
    repeat {
      reducedCount += 1
      defer { number &+= step }
      guard let tree = reducer(&state.pointee, action, along: route).tree else { continue }
      endReducing(outer)
      begin(tree, of: action, number: number)
      if hasRefused() { return true }
      _ = beginReducing()
    } while isRepeated()
    endReducing(outer)
    return false
  }

  /// Sends an action, and again as long as `isRepeated` returns true after it, each after a check of its target.
  @inlinable @inline(never)
  mutating func send(
    _ action: Action, number: UInt64, after check: TargetCheck<State, Action>, while isRepeated: () -> Bool
  ) -> Bool {
    var number = number
    let step: UInt64 = number == 0 ? 0 : 1
    repeat {
      let outer = beginReducing()
      let mayMiss = check.mayMiss(currentState.pointee, action)
      endReducing(outer)
      if mayMiss {
        sendTakingBack(action, number: number)
      } else if let tree = reduceOnly(action) {
        begin(tree, of: action, number: number)
      }
      number &+= step
      if hasRefused() { return true }
    } while isRepeated()
    return false
  }

  /// Sends an action whose target may be gone: if it is refused, everything is as before it.
  @usableFromInline
  mutating func sendTakingBack(_ action: Action, number: UInt64) {
    let checkpoint = checkpoint()
    lateActions = .refused
    if let tree = reduceOnly(action) { begin(tree, of: action, number: number) }
    guard let refusal = effects.refusal else { return lateActions = checkpoint.places.lateActions }
    rollBack(to: checkpoint)
    effects.refusal = refusal
    // As the one that has refused, which `hasRefused` does not count.
    reducedCount += 1
  }

  /// Returns true if the last action was refused, which then does not count.
  @usableFromInline @inline(never)
  mutating func hasRefused() -> Bool {
    guard effects.refusal != nil else { return false }
    reducedCount -= 1
    return true
  }

  /// Reduces an action; its reads of the state are not observed.
  @inlinable @inline(__always)
  mutating func reduceOnly(_ action: Action) -> EffectTree<Action>? {
    reducedCount += 1
    let outer = beginReducing()
    defer { endReducing(outer) }
    // With the property itself, Swift 6.3 cannot compile the access for the thread sanitizer.
    let state = currentState
    return reducer(&state.pointee, action).tree
  }

  /// Begins to reduce. A reducer may send to another store, which has its own effects.
  ///
  /// - Returns: The places of the effects of the store whose reducer runs, for `endReducing`.
  @inlinable @inline(__always)
  func beginReducing() -> UnsafeMutableRawPointer? {
    storehub_begin_reducing()
    let outer = storehub_current_places()
    storehub_set_current_places(places)
    return outer
  }

  @inlinable @inline(__always)
  func endReducing(_ outer: UnsafeMutableRawPointer?) {
    storehub_set_current_places(outer)
    storehub_end_reducing()
  }

  /// Reduces an action; returns true if there are commands afterwards.
  @inlinable @inline(__always)
  package mutating func sendNotingCommands(_ action: Action, cascade: UInt64) -> Bool {
    send(action, cascade: cascade)
    return hasCommands
  }

  /// Reduces an action of an effect; returns false if the effect was cancelled.
  ///
  /// - Parameter effect: The effect; nil for one that has ended.
  package mutating func send(_ action: Action, from effect: EffectID?) -> Bool {
    if let effect, !effects.isRunning(effect) { return false }
    let cascade = effect.map { effects.cascade(of: $0) } ?? 0
    asEffect { $0.send(action, cascade: cascade) }
    return true
  }

  /// Makes a change whose actions have been sent by effects.
  private mutating func asEffect(_ change: (inout ReducerCore) -> Void) {
    // A hub knows that itself.
    guard ReducerSurroundings.current == nil else { return change(&self) }
    let outer = effectSurroundings.begin()
    defer { ReducerSurroundings.end(outer) }
    change(&self)
  }

  /// Removes an effect that has ended.
  package mutating func finish(_ effect: EffectID) {
    effects.finish(effect) { queue.append($0, cascade: $1) }
    drainSteps()
  }

  /// Begins the effects of an action of a client.
  ///
  /// - Parameter number: The action's number if the client may cancel them; otherwise 0.
  @usableFromInline
  mutating func begin(_ tree: EffectTree<Action>, of action: Action, number: UInt64) {
    guard number != 0 else { return begin(tree, of: action, cascade: 0) }
    let cascade = effects.nextNumberedCascade()
    begin(tree, of: action, cascade: cascade)
    effects.note(NumberedEffects(number: number, cascade: cascade))
  }

  /// Takes the numbered actions whose effects have begun since the last call.
  package mutating func takeNumbered() -> [NumberedEffects] { effects.takeNumbered() }

  /// Returns true if a cascade holds shared work.
  package func holdsSharedEffects(cascade: UInt64) -> Bool { effects.holdsShared(cascade) }

  /// Lets go of the shared work that a cascade holds; what no other one holds is cancelled.
  package mutating func letGo(cascade: UInt64) {
    effects.letGo(cascade) { queue.append($0, cascade: $1) }
    drainSteps()
  }

  /// Cancels the effects of one send.
  package mutating func cancel(cascade: UInt64) {
    effects.cancel(cascade: cascade) { queue.append($0, cascade: $1) }
    drainSteps()
  }

  /// Cancels the effects with an id that belong to a child or its descendants. The caller has cancelled the work with
  /// the id inside effects.
  package mutating func cancel(_ id: CancelID, within path: EffectPath) {
    if id == .allWork {
      effects.cancel(allWithin: path) { queue.append($0, cascade: $1) }
    } else {
      effects.cancelEffects(id, within: path) { queue.append($0, cascade: $1) }
    }
    drainSteps()
  }

  /// Cancels all effects.
  package mutating func cancelAll() {
    effects.cancelAll { queue.append($0, cascade: $1) }
    drainSteps()
  }

  /// Dismisses a presented child; returns true if it is still presented.
  package mutating func dismiss(_ path: EffectPath) -> Bool {
    defer { drainSteps() }
    return effects.dismiss(path) { queue.append($0, cascade: $1) }
  }

  /// Everything as it is now, to which `rollBack` returns.
  ///
  /// A copy of values that share what they consist of: O(1), and a later change copies what it touches.
  package struct Checkpoint {
    fileprivate let state: State
    fileprivate let reducedCount: UInt64
    fileprivate let effects: EffectLedger<Action>
    fileprivate let places: EffectPlaces
  }

  /// Keeps everything as it is now.
  package func checkpoint() -> Checkpoint {
    Checkpoint(state: currentState.pointee, reducedCount: reducedCount, effects: effects, places: places.pointee)
  }

  /// Takes back all actions since a checkpoint, with their effects, which must not have been handed out.
  package mutating func rollBack(to checkpoint: Checkpoint) {
    currentState.pointee = checkpoint.state
    (reducedCount, effects) = (checkpoint.reducedCount, checkpoint.effects)
    places.pointee = checkpoint.places
  }

  /// Changes the state without an action; effects are not affected.
  package mutating func update(_ change: (inout State) -> Void) {
    // With the thread sanitizer, Swift 6.3 cannot compile a change through a pointer in a noncopyable value.
    let state = currentState
    change(&state.pointee)
  }

  /// Replaces the state by one that `actionCount` actions led to elsewhere; effects are not affected.
  package mutating func restore(_ state: State, actionCount: UInt64) {
    currentState.pointee = state
    reducedCount = actionCount
  }

  /// The send that started the effects with an id; nil if none runs.
  package func cascade(of id: CancelID) -> UInt64? { effects.cascade(of: id) }

  /// Returns true if effects of a send are running.
  @inlinable @inline(__always) package func isRunning(cascade: UInt64) -> Bool { effects.isRunning(cascade: cascade) }

  /// Takes the effects to start and to cancel since the last call, in order.
  package mutating func takeCommands() -> [EffectCommand<Action>] { effects.takeCommands() }

  /// Records work with a declared restart from now on. Effects get larger numbers than `number`.
  package mutating func recordRestarts(after number: UInt64) { effects.recordRestarts(after: number) }

  /// Takes the work with a declared restart that has begun or ended since the last call.
  package mutating func takeRestarts() -> EffectRestarts<Action> { effects.takeRestarts() }

  /// The effect that began last.
  package var lastEffect: EffectID { effects.lastEffect }

  /// The running effects without a declared restart that began after another one, with their places in the feature's
  /// code and the actions that began them, if these are known.
  package func effectsWithoutRestart(after effect: EffectID) -> [(site: CompositionSite?, cause: Action?)] {
    effects.effectsWithoutRestart(after: effect)
  }

  /// Takes the sends whose last effect has ended since the last call.
  package mutating func takeFinishedCascades() -> [UInt64] { effects.takeFinishedCascades() }

  @usableFromInline
  mutating func begin(_ tree: EffectTree<Action>, of action: Action, cascade: UInt64) {
    // The actions that follow are the program's own.
    let lateActions = lateActions
    self.lateActions = .reported
    defer { self.lateActions = lateActions }
    // An action that is sent alone need not wait if the queue is empty.
    var (tree, cause) = (tree, action)
    while queue.isEmpty, case .send(let action) = tree {
      guard let next = reduceOnly(action) else { return }
      (tree, cause) = (next, action)
    }
    beginAndDrain(tree, of: cause, cascade: cascade)
  }

  @inline(never)
  private mutating func beginAndDrain(_ tree: EffectTree<Action>, of action: Action, cascade: UInt64) {
    beginEffects(tree, of: action, cascade: cascade)
    drain()
  }

  private func reportUnexpected(_ refusal: Refusal) {
    reportIssue(
      """
      A reducer refused an action ("\(refusal)"), but the store had not kept its state, so the action took effect. \
      Reducers that refuse must exist when the store is created: not in the closure of "onChange", and not within a \
      "reduce(into:action:)".
      """)
  }

  private mutating func beginEffects(_ tree: EffectTree<Action>, of action: Action, cascade: UInt64) {
    let cause = effects.recordsRestarts ? EffectCause(action) : nil
    effects.begin(tree, EffectOrigin(cascade: cascade, cause: cause)) { queue.append($0, cascade: $1) }
  }

  /// Reduces the actions that the reducer has sent to its own store.
  package mutating func reduceQueue() { drain() }

  /// Reduces the actions that follow the end of an effect.
  private mutating func drainSteps() {
    guard !queue.isEmpty else { return takeUnexpected() }
    if steps != nil, !discardsSentActions { steps?.append(contentsOf: queue.waiting) }
    asEffect { $0.drain() }
  }

  /// Records the actions that follow the ends of effects from now on: those of the next steps of sequences, and of
  /// dismissals. They are no effects' own, and do not follow from another action.
  package mutating func recordSteps() { steps = [] }

  /// Takes the recorded actions that have followed the ends of effects since the last call. Each call of `finish`,
  /// `cancel` or `dismiss` adds its own, which are reduced before those that they send at once.
  package mutating func takeSteps() -> [Action] {
    guard let taken = steps, !taken.isEmpty else { return [] }
    steps = []
    return taken
  }

  /// Forgets all effects, as if none had ever begun. Nobody may run them.
  package mutating func forgetEffects() {
    // As in `update`.
    let places = places
    places.pointee.removeAll()
    effects = EffectLedger(places: places)
  }

  /// Reduces actions that have followed the end of an effect elsewhere, as `finish` does.
  package mutating func reduceSteps(_ actions: [Action]) {
    for action in actions { queue.append(action, cascade: 0) }
    drainSteps()
  }

  /// A loop, not a recursion: a chain of any number of actions does not grow the stack.
  private mutating func drain() {
    takeUnexpected()
    while !queue.isEmpty, let (action, cascade) = queue.next() {
      // The actions after one that is refused are those of effects that do not begin.
      guard !discardsSentActions, effects.refusal == nil, let tree = reduceOnly(action) else { continue }
      beginEffects(tree, of: action, cascade: cascade)
      takeUnexpected()
    }
  }

  /// Reports a refusal of a reducer that was not known to refuse: its action takes effect.
  private mutating func takeUnexpected() {
    if !mayRefuse, effects.refusal?.isLate == false, let refusal = takeRefusal() { reportUnexpected(refusal) }
  }
}
