public import ReplicatedArchitecture

/// Where facts about numbers come from.
public struct NumberFactClient: Sendable {
  /// One sentence about a number, or a `NumberFactError` that says why there is none.
  public var fetch: @Sendable (Int) async throws -> String

  /// Creates a client.
  public init(fetch: @escaping @Sendable (Int) async throws -> String) {
    self.fetch = fetch
  }
}

/// Why there is no fact.
@Replicated
public struct NumberFactError: Error, Equatable, Sendable {
  /// What happened and what to do, for people.
  public var message: String

  /// Creates an error.
  public init(message: String) {
    self.message = message
  }
}

extension NumberFactClient: DependencyKey {
  /// Works facts out, without asking anyone.
  public static let liveValue = NumberFactClient { NumberFacts.fact(about: $0) }

  /// Refuses, so that a test says which fact it wants.
  public static let testValue = NumberFactClient { _ in
    throw NumberFactError(message: "this test did not say what numberFact.fetch gives")
  }
}

extension DependencyValues {
  /// Where facts about numbers come from.
  public var numberFact: NumberFactClient {
    get { self[NumberFactClient.self] }
    set { self[NumberFactClient.self] = newValue }
  }
}
