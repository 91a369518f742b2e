import ComposableArchitecture

/// A client whose endpoints tests override.
@DependencyClient
public struct Weather: Sendable {
  public var forecast: @Sendable (_ city: String) async throws -> String
  public var isWarm: @Sendable (_ degrees: Int) -> Bool = { _ in false }
}

extension Weather: DependencyKey {
  public static let liveValue = Weather(forecast: { "sunny in \($0)" }, isWarm: { $0 > 20 })
  public static let testValue = Weather()
}

/// A dependency that is one value.
enum UnitKey: DependencyKey {
  static let liveValue = "°C"
  static let testValue = "°T"
}

extension DependencyValues {
  public var weather: Weather {
    get { self[Weather.self] }
    set { self[Weather.self] = newValue }
  }

  var unit: String {
    get { self[UnitKey.self] }
    set { self[UnitKey.self] = newValue }
  }
}
