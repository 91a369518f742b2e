internal import IssueReporting

extension Shared where Value: Equatable {
  /// Checks a change of the value against the test's expectation.
  ///
  /// ```swift
  /// await store.send(.incrementButtonTapped)
  /// store.state.$count.assert { $0 = 1 }
  /// ```
  ///
  /// It is an issue if nothing changed, or if the value differs from the closure's result for the previous value.
  /// Changes are recorded by a ``SharedChangeTracker``.
  public func assert(
    _ updateValueToExpectedResult: (inout Value) throws -> Void,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) rethrows {
    let place = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    guard let tracker = location.root.changeTracker else {
      return reportIssue("Expected changes, but none occurred.", at: place)
    }
    try tracker.assert {
      guard location.read() != location.readCurrent() else {
        return reportIssue("Expected changes, but none occurred.", at: place)
      }
      try withLock(updateValueToExpectedResult)
      let (expected, actual) = (location.read(), location.readCurrent())
      guard expected != actual else { return }
      reportIssue(
        """
        A shared value does not match expectation: …

          − \(String(reflecting: expected))
          + \(String(reflecting: actual))

        (Expected: −, Actual: +)
        """, at: place)
    }
  }
}

extension Cell {
  /// The tracker that recorded a change of this reference: one of this task, otherwise any that exists.
  var changeTracker: SharedChangeTracker? {
    let holding = state.withLock { $0.liveTrackers() }.filter { $0.hasRecord(of: self) }
    return SharedChangeTracker.recording.first { tracker in holding.contains { $0 === tracker } } ?? holding.first
  }
}
