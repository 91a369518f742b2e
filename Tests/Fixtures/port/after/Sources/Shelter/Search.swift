import ComposableArchitecture
import ReplicatedArchitecture

/// A feature that is generic, and marked in part.
@Reducer
public struct Search<ID: Hashable & Sendable & Replicated>: Sendable {
  @ObservableState @Replicated
  public struct State: Equatable, Sendable {
    public var found: [ID] = []
    @Replicated(omit) public var cache: [String: [ID]] = [:]
    public var text = ""

    public init(found: [ID] = [], cache: [String: [ID]] = [:], text: String = "") {
      self.found = found
      self.cache = cache
      self.text = text
    }
  }

  @Replicated
  public enum Action: BindableAction, Sendable {
    case binding(BindingAction<State>)
    case found([ID])
  }

  public init() {}

  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    if case .found(let ids) = action { state.found = ids }
    return .none
  }
}
