import ComposableArchitecture

/// A child in a list, with bindings, a delegate and a cancellable effect.
@Reducer
public struct Stop: Sendable {
  @ObservableState
  public struct State: Equatable, Identifiable {
    public let id: Int
    public var city = ""
    public var forecast: String?
    public var notes = Notes()

    public struct Notes: Equatable {
      public var lines: [String] = []
      mutating func add(_ line: String) { lines.append(line) }
    }

    public init(id: Int, city: String = "") {
      self.id = id
      self.city = city
    }
  }

  public enum Action: BindableAction {
    case binding(BindingAction<State>)
    case forecastButtonTapped
    case forecastResponse(Result<String, any Error>)
    case delegate(Delegate)

    @CasePathable
    public enum Delegate: Equatable {
      case renamed(to: String)
    }
  }

  private enum CancelID { case forecast }
  private struct Attempt: Hashable { var number = 1 }

  @Dependency(\.weather) var weather
  @Dependency(\.unit) var unit
  @Dependency(\.continuousClock) var clock

  public init() {}

  public var body: some ReducerOf<Self> {
    BindingReducer()
      .onChange(of: \.city) { _, city in
        Reduce { _, _ in .send(.delegate(.renamed(to: city))) }
      }
    Reduce { state, action in
      switch action {
      case .binding(\.city):
        state.notes.add("renamed")
        return .none
      case .binding, .delegate:
        return .none
      case .forecastButtonTapped:
        return forecast(for: state.city)
      case .forecastResponse(.success(let forecast)):
        state.forecast = "\(forecast) \(unit)"
        return .none
      case .forecastResponse(.failure):
        state.forecast = nil
        return .cancel(id: Attempt())
      }
    }
  }

  private func forecast(for city: String) -> Effect<Action> {
    .run { send in
      try await clock.sleep(for: .milliseconds(1))
      await send(.forecastResponse(Result { try await weather.forecast(city: city) }))
    }
    .cancellable(id: CancelID.forecast, cancelInFlight: true)
    .cancellable(id: Attempt())
  }
}
