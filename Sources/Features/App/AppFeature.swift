public import ComposableArchitecture
public import Wire

/// The root of what a hub shares: the counter.
public struct AppFeature: Reducer, Sendable {
  /// Everything that clients see.
  @Replicated
  public struct State: Equatable, Sendable {
    /// The shared counter.
    public var counter = Counter.State()

    /// Creates the state that a new hub begins with.
    public init() {}
  }

  /// Everything that can happen.
  @Replicated
  public enum Action: Equatable, Sendable, CasePathable {
    /// Something happened to the counter.
    case counter(Counter.Action)

    /// The cases by name.
    public struct AllCasePaths: Sendable {
      /// The counter's actions.
      public var counter: AnyCasePath<Action, Counter.Action> {
        AnyCasePath(embed: { .counter($0) }, extract: { if case .counter(let action) = $0 { action } else { nil } })
      }
    }

    public static var allCasePaths: AllCasePaths { AllCasePaths() }
  }

  /// Creates the reducer.
  public init() {}

  public var body: some ReducerOf<Self> {
    Scope(state: \.counter, action: \.counter) { Counter() }
  }
}
