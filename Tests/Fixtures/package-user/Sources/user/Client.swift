import Dependencies

@DependencyClient
struct FactClient: Sendable {
  var fetch: @Sendable (_ number: Int) async throws -> String
  var isOpen: @Sendable () -> Bool = { false }
}

extension FactClient: DependencyKey {
  static let liveValue = FactClient(fetch: { "\($0) is a number." }, isOpen: { true })
  static let testValue = FactClient()
}
