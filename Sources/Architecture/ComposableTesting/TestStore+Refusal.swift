public import ComposableArchitecture

extension TestStore {
  /// Sends an action and expects that the feature refuses it; see ``FeatureCore/Refusal``.
  ///
  /// ```swift
  /// await store.send(.closeButtonTapped, refused: "only the owner may close it")
  /// ```
  ///
  /// A refused action changes no state and starts no effect. An action that is refused although the test does not expect
  /// it fails the test.
  ///
  /// - Parameters:
  ///   - action: The action, as a user or a view would send it.
  ///   - reason: The reason of the refusal.
  public func send(
    _ action: Action, refused reason: String, fileID: StaticString = #fileID, file filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async {
    await send(
      action, nil, expectedRefusal: reason,
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Sends an action without a payload by its case, and expects that the feature refuses it.
  public func send(
    _ action: CaseKeyPath<Action, Void>, refused reason: String, fileID: StaticString = #fileID,
    file filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) async {
    await send(
      AnyCasePath(action).embed(()), refused: reason, fileID: fileID, file: filePath, line: line, column: column)
  }

  /// Sends an action by its case, with its payload, and expects that the feature refuses it.
  public func send<Value>(
    _ action: CaseKeyPath<Action, Value>, _ value: Value, refused reason: String, fileID: StaticString = #fileID,
    file filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) async {
    await send(
      AnyCasePath(action).embed(value), refused: reason, fileID: fileID, file: filePath, line: line, column: column)
  }

  /// Compares the refusal of an action with the expected reason.
  func expect(_ refusal: Refusal?, _ expected: String?, of action: Action, at location: IssueLocation) {
    switch (refusal?.reason, expected) {
    case (nil, nil): break
    case (let reason?, nil):
      report(
        """
        The action was refused: "\(reason)". …

        Action:
        \(FailureText.dump(action))

        If the feature should refuse it, expect it: send(…, refused: "\(reason)").
        """, at: location)
    case (nil, let expected?):
      report(
        """
        Expected the action to be refused: "\(expected)", but it took effect. …

        Action:
        \(FailureText.dump(action))
        """, at: location)
    case (let reason?, let expected?):
      guard reason != expected else { return }
      report(
        """
        The action was refused for another reason than expected. …

        \(FailureText.difference(expected: expected, actual: reason))
        """, at: location)
    }
  }
}
