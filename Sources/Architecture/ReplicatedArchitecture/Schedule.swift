public import CasePaths
internal import Dependencies
public import FeatureCore
public import FoundationEssentials
public import IdentifiedCollections
public import Wire

/// Actions to be sent at certain times, as part of a state.
///
/// The times are state, so they survive a restart of a hub with a log: an action whose time has passed meanwhile is
/// sent at the start. Each is sent once, in the turn in which it is removed from the schedule.
///
/// ```swift
/// @Replicated struct State: Equatable { var schedule = Schedule<Action>() … }
///
/// var body: some ReducerOf<Self> {
///   Reduce { state, action in
///     switch action {
///     case .snoozeTapped:
///       state.schedule.add(.alarm, at: now.addingTimeInterval(600))
///       return .none
///     …
///     }
///   }
///   .schedule(\.schedule, timeCame: \.timeCame)
/// }
/// ```
///
/// On a hub, send `timeCame` at its start, so that the schedule continues: `FeatureEngine(…) onEvent: { event, state in
/// event == .started && !state.schedule.isEmpty ? [.timeCame] : [] }`.
@Replicated
public struct Schedule<Action: Replicated & Equatable & Sendable>: Equatable, Sendable {
  /// The scheduled actions, in the order in which they were added.
  public private(set) var entries: IdentifiedArrayOf<Entry> = []
  private var nextID = 0

  /// An action with its time.
  @Replicated
  public struct Entry: Equatable, Identifiable, Sendable {
    /// Identifies the entry within its schedule; never reused.
    public let id: Int
    /// The due time, by the wall clock.
    public var date: Date
    /// The action.
    public var action: Action
  }

  /// Creates an empty schedule.
  public init() {}

  /// True if there are no scheduled actions.
  public var isEmpty: Bool { entries.isEmpty }

  /// The time of the next scheduled action.
  /// - Complexity: O(n).
  public var nextDate: Date? { entries.lazy.map(\.date).min() }

  /// Adds an action; returns its id for removal.
  @discardableResult
  public mutating func add(_ action: Action, at date: Date) -> Int {
    // A schedule in an action of a peer may have any ids, also one whose next id is taken or the greatest number.
    while entries.index(id: nextID) != nil { nextID &+= 1 }
    defer { nextID &+= 1 }
    entries.append(Entry(id: nextID, date: date, action: action))
    return nextID
  }

  /// Removes an action before it is due.
  public mutating func remove(id: Int) { entries.remove(id: id) }

  /// Removes the actions that are due, and returns them ordered by their times.
  mutating func takeDue(at now: Date) -> [Action] {
    let due = entries.filter { $0.date <= now }
    for entry in due { entries.remove(id: entry.id) }
    return due.sorted { ($0.date, $0.id) < ($1.date, $1.id) }.map(\.action)
  }
}

extension Reducer where Action: Replicated & Equatable & Sendable & CasePathable {
  /// Sends the actions of a schedule when they are due.
  ///
  /// - Parameters:
  ///   - schedule: The schedule in the state.
  ///   - timeCame: A case without a payload that the schedule sends to itself when an action is due; the reducer may
  ///     ignore it.
  /// - Complexity: O(1) for an action that does not change the schedule, O(n) for one that does.
  public func schedule(
    _ schedule: WritableKeyPath<State, Schedule<Action>>, timeCame: CaseKeyPath<Action, Void>,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> some Reducer<State, Action> {
    ScheduleReducer(
      base: self, schedule: schedule, timeCame: timeCame,
      site: CompositionSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }
}

/// The maximum time in seconds until a change of the wall clock is detected.
private let longestSleep = 60.0

/// The timer of one schedule, identified by the schedule's place in the composition.
private struct TimerID: Hashable { let place: ObjectIdentifier }

private struct ScheduleReducer<Base: Reducer>: Reducer
where Base.Action: Replicated & Equatable & Sendable & CasePathable {
  let base: Base
  let schedule: WritableKeyPath<Base.State, Schedule<Base.Action>>
  let timeCame: CaseKeyPath<Base.Action, Void>
  let site: CompositionSite

  @Dependency(\.date) private var date
  @Dependency(\.continuousClock) private var clock

  func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    _compile().function(&state, action)
  }

  func _compile() -> CompiledReducer<Base.State, Base.Action> {
    let base = base._compile()
    let timer = TimerID(place: ObjectIdentifier(EffectScopePlace.of(schedule, site)))
    return CompiledReducer { state, action in reduce(&state, action, base, timer) }
  }

  private func reduce(
    _ state: inout Base.State, _ action: Base.Action, _ base: CompiledReducer<Base.State, Base.Action>,
    _ timer: TimerID
  ) -> Effect<Base.Action> {
    let before = state[keyPath: schedule]
    var effect = base(&state, action)
    guard effect.refusal == nil else { return effect }
    let isTime = action.is(timeCame)
    if isTime {
      let due = state[keyPath: schedule].takeDue(at: date.now)
      effect = .concatenate([effect] + due.map { .send($0) })
    }
    guard isTime || state[keyPath: schedule] != before else { return effect }
    return .merge(effect, wait(for: state[keyPath: schedule].nextDate, timer))
  }

  /// Waits for the next due time, replacing any previous wait.
  private func wait(for next: Date?, _ timer: TimerID) -> Effect<Base.Action> {
    guard let next else { return .cancel(id: timer) }
    return .run { [clock, date, action = timeCame()] send in
      while case let seconds = next.timeIntervalSince(date.now), seconds > 0 {
        try await clock.sleep(for: .seconds(min(seconds, longestSleep)))
      }
      await send(action)
    }
    .cancellable(id: timer, cancelInFlight: true)
  }
}
