public import ReplicatedArchitecture

/// The source of facts about numbers.
public struct NumberFactClient: Sendable {
  /// Returns a sentence about a number, or throws a `NumberFactError` with the reason why there is none.
  public var fetch: @Sendable (Int) async throws -> String

  /// Creates a client.
  public init(fetch: @escaping @Sendable (Int) async throws -> String) {
    self.fetch = fetch
  }
}

/// The reason why there is no fact.
@Replicated
public struct NumberFactError: Error, Equatable, Sendable {
  /// The problem and its remedy, for people.
  public var message: String

  /// Creates an error.
  public init(message: String) {
    self.message = message
  }
}

extension NumberFactClient: DependencyKey {
  /// Computes facts without a service.
  public static let liveValue = NumberFactClient { NumberFacts.fact(about: $0) }

  /// Fails, so that a test must provide the fact.
  public static let testValue = NumberFactClient { _ in
    throw NumberFactError(message: "this test did not say what numberFact.fetch gives")
  }

  /// Reducers only pass it to effects.
  public static let isReproducible = true
}

extension DependencyValues {
  /// The source of facts about numbers.
  public var numberFact: NumberFactClient {
    get { self[NumberFactClient.self] }
    set { self[NumberFactClient.self] = newValue }
  }
}
