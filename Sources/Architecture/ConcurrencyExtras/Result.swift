extension Result {
  /// The outcome of an asynchronous operation, with the type of error that it throws.
  ///
  /// ```swift
  /// await send(.factResponse(Result { try await numberFact.fetch(count) }))
  /// ```
  @_disfavoredOverload
  public nonisolated(nonsending) init(
    catching body: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async {
    do {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}
