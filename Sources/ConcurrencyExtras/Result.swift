extension Result where Failure == any Error {
  /// The outcome of an asynchronous operation.
  ///
  /// ```swift
  /// await send(.factResponse(Result { try await numberFact.fetch(count) }))
  /// ```
  @_disfavoredOverload
  public nonisolated(nonsending) init(
    catching body: nonisolated(nonsending) () async throws -> Success
  ) async {
    do {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}
