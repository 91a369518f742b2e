/// Makes a struct of closures a dependency client: endpoints report when a test did not override them, and the
/// initialisers that go with it are written.
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
/// An endpoint that neither throws nor returns nothing needs a value of its own, `= { _ in false }`.
@attached(member, names: named(init))
@attached(memberAttribute)
public macro DependencyClient() = #externalMacro(module: "StoreHubMacros", type: "DependencyClientMacro")

/// Makes one closure an endpoint; `@DependencyClient` puts it on each.
///
/// - Parameter method: The method's name, when it is not the closure's.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: arbitrary)
public macro DependencyEndpoint(method: String = "") =
  #externalMacro(module: "StoreHubMacros", type: "DependencyEndpointMacro")
