internal import ConcurrencyExtras
public import IssueReporting

/// Makes a struct of closures a dependency client: endpoints report if a test did not override them, and the
/// initialisers are generated.
///
/// ```swift
/// @DependencyClient
/// struct NumberFactClient {
///   var fetch: @Sendable (_ number: Int) async throws -> String
///   var save: @Sendable (_ fact: String, _ number: Int) async throws -> Void
/// }
///
/// extension NumberFactClient: TestDependencyKey {
///   static let testValue = NumberFactClient()
/// }
///
/// try await client.save(fact: "…", number: 3)   // named arguments become labels
/// ```
///
/// An endpoint that returns a value and does not throw needs a default, such as `= { _ in false }`.
@attached(member, conformances: _NonisolatedByDefault, names: named(init))
@attached(memberAttribute)
public macro DependencyClient() = #externalMacro(module: "StoreHubMacros", type: "DependencyClientMacro")

/// Makes a closure an endpoint; `@DependencyClient` attaches it to each closure.
///
/// - Parameter method: The method's name, if it differs from the closure's.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: arbitrary)
public macro DependencyEndpoint(method: String = "") =
  #externalMacro(module: "StoreHubMacros", type: "DependencyEndpointMacro")

/// The error of an endpoint that throws and was not overridden, by its name in `DependenciesMacros`.
public typealias Unimplemented = UnimplementedFailure

extension UnimplementedFailure {
  /// Creates the error of an endpoint.
  public init(_ endpoint: String) { self.init(description: endpoint) }
}
