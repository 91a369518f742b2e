import Dependencies
import Sharing
import Testing

@Suite struct ChangeTrackerTests {
  private struct Stats: Equatable, Sendable {
    var first = false
    var second = false
  }

  private func tracker() -> SharedChangeTracker { SharedChangeTracker(reportUnassertedChanges: false) }

  @Test func stateBeforeAndAfterAreEqualOnceTheChangeIsStated() {
    @Shared(value: 0) var count
    let tracker = tracker()
    tracker.track { $count.withLock { $0 += 1 } }
    #expect(tracker.hasChanges)
    tracker.assert {
      #expect(count == 0)
      #expect($count != $count)
      $count.withLock { $0 = 1 }
      #expect($count == $count)
    }
    #expect(!tracker.hasChanges)
    #expect(count == 1)
  }

  @Test func aWrongStatementLeavesTheChange() {
    @Shared(value: 0) var count
    let tracker = tracker()
    tracker.track { $count.withLock { $0 = 5 } }
    tracker.assert { $count.withLock { $0 = 4 } }
    #expect(count == 5)
    #expect(tracker.changes.map { "\($0.old) \($0.new)" } == ["4 5"])
    tracker.resetChanges()
    #expect(!tracker.hasChanges)
  }

  @Test func whatWasTakenBackIsNoChange() {
    @Shared(value: 0) var count
    let tracker = tracker()
    tracker.track {
      $count.withLock { $0 += 1 }
      $count.withLock { $0 -= 1 }
    }
    #expect(!tracker.hasChanges)
  }

  @Test func partsAreSnapshotsOfTheirWhole() {
    @Shared(value: Stats()) var stats
    let tracker = tracker()
    tracker.track { $stats.first.withLock { $0 = true } }
    tracker.assert {
      #expect($stats.first != $stats.first)
      #expect($stats.first == $stats.second)
      $stats.first.withLock { $0 = true }
      #expect($stats == $stats)
    }
  }

  @Test func anAssertionReadsOtherReferences() {
    @Shared(value: 0) var first
    @Shared(value: 0) var second
    let tracker = tracker()
    tracker.track {
      $first.withLock { $0 = 1 }
      $second.withLock { $0 = 1 }
    }
    tracker.assert {
      $first.withLock { $0 = 1 }
      $second.withLock { $0 = first }
    }
    #expect(!tracker.hasChanges)
  }

  @Test func onlyChangesWithinTheScopeAreRecordedAndTasksBelongToIt() async {
    @Shared(value: 0) var inside
    @Shared(value: 0) var outside
    let tracker = tracker()
    let share = $inside
    await tracker.track {
      await Task { share.withLock { $0 = 1 } }.value
    }
    $outside.withLock { $0 = 1 }
    #expect(tracker.changes.count == 1)
    withEscapedDependencies { _ = $0 }
    tracker.track {
      withEscapedDependencies { escaped in escaped.yield { $outside.withLock { $0 = 2 } } }
    }
    #expect(tracker.changes.count == 2)
  }

  @Test func whatIsLeftIsReportedInTheEnd() {
    @Shared(value: 0) var count
    let share = $count
    let issues = Issues.during {
      let tracker = SharedChangeTracker()
      tracker.track { share.withLock { $0 += 1 } }
    }
    #expect(issues == ["Tracked unasserted changes to 'Shared<Int>(value: 1)': 0 → 1"])
  }

  private enum Route: Equatable, Sendable { case list, detail }

  @Test func aReportHasTheWholeNameOfTheType() {
    @Shared(value: Route.list) var route
    let share = $route
    let issues = Issues.during {
      let tracker = SharedChangeTracker()
      tracker.track { share.withLock { $0 = .detail } }
    }
    #expect(issues.first?.hasPrefix("Tracked unasserted changes to 'Shared<ChangeTrackerTests.Route>(value: ") == true)
  }

  @Test func assertingAShareStatesItsChange() {
    @Shared(value: Stats()) var stats
    let share = $stats
    let tracker = tracker()
    tracker.track { share.first.withLock { $0 = true } }
    #expect(Issues.during { share.assert { $0.first = true } } == [])
    #expect(!tracker.hasChanges)
    #expect(Issues.during { share.assert { $0.first = true } } == ["Expected changes, but none occurred."])
  }

  @Test func assertingTheWrongChangeShowsBoth() {
    @Shared(value: 0) var count
    let share = $count
    let tracker = tracker()
    tracker.track { share.withLock { $0 = 2 } }
    let issues = Issues.during { share.assert { $0 = 1 } }
    #expect(
      issues == [
        """
        A shared value does not match expectation: …

          − 1
          + 2

        (Expected: −, Actual: +)
        """
      ])
    #expect(tracker.hasChanges)
  }

  @Test func withoutATrackerThereIsNothingToAssert() {
    @Shared(value: 0) var count
    let share = $count
    share.withLock { $0 = 1 }
    #expect(Issues.during { share.assert { $0 = 1 } } == ["Expected changes, but none occurred."])
  }

  @Test func whatIsTrackedHereIsNotTrackedByWhatTakesTheDependenciesAlong() {
    @Shared(value: 0) var count
    @Shared(value: 0) var other
    let (outer, inner) = (tracker(), tracker())
    let later = outer.trackHere {
      inner.trackHere { $count.withLock { $0 += 1 } }
      return withEscapedDependencies { dependencies in { dependencies.yield { $other.withLock { $0 += 1 } } } }
    }
    later()
    #expect(other == 1)
    #expect(outer.changes.map { "\($0.old) \($0.new)" } == ["0 1"])
    #expect(inner.changes.map { "\($0.old) \($0.new)" } == ["0 1"])
  }

  @Test func aSharesTrackerIsFoundAlthoughOthersHaveComeAndGone() {
    @Shared(value: 0) var count
    for _ in 0..<3 {
      let passing = tracker()
      passing.trackHere { $count.withLock { $0 += 1 } }
      #expect(passing.hasChanges)
    }
    let tracker = tracker()
    tracker.track { $count.withLock { $0 += 1 } }
    let passing = self.tracker()
    passing.trackHere { $count.withLock { $0 += 1 } }
    tracker.track { $count.assert { $0 = 5 } }
    #expect(!tracker.hasChanges)
    #expect(passing.hasChanges)
  }
}
