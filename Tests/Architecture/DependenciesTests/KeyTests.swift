import Dependencies
import IssueReporting
import Testing

private enum OptionalKey: DependencyKey {
  static let liveValue: Int? = 1
  static let testValue: Int? = 2
}

private enum MissingKey: TestDependencyKey {
  static let testValue: Int? = 3
}

// `Value` is inferred from `liveValue` alone.
private struct Inferred: DependencyKey {
  static let liveValue = { @Sendable (number: Int) in "\(number)" }
}

private protocol Database: Sendable {}
private struct SQLite: Database { var path = "db" }
private enum DatabaseKey: DependencyKey {
  static let liveValue: any Database = SQLite()
  static let testValue: any Database = SQLite(path: "test")
}

private struct Nested: DependencyKey {
  var number: Int?
  static var liveValue: Nested { testValue }
  static var testValue: Nested {
    @Dependency(\.optional) var optional
    return Nested(number: optional)
  }
}

extension DependencyValues {
  fileprivate var optional: Int? {
    get { self[OptionalKey.self] }
    set { self[OptionalKey.self] = newValue }
  }
  fileprivate var database: any Database {
    get { self[DatabaseKey.self] }
    set { self[DatabaseKey.self] = newValue }
  }
}

private final class Plain {}

@Suite struct KeyTests {
  @Test func anOptionalDependencyHasTheValueOfItsKey() {
    @Dependency(\.optional) var optional
    #expect(optional == 2)
    withDependencies {
      $0.context = .live
    } operation: {
      #expect(optional == 1)
    }
    withDependencies {
      $0.optional = nil
    } operation: {
      #expect(optional == nil)
    }
    withDependencies {
      $0.optional = 4
    } operation: {
      #expect(optional == 4)
    }
  }

  @Test func anOptionalDependencyWithoutALiveValueIsReported() {
    let issues = withExpectedIssue {
      withDependencies {
        $0 = .live
      } operation: {
        @Dependency(MissingKey.self) var missing
        #expect(missing == 3)
      }
    }
    #expect(issues.count == 1)
  }

  @Test func aContextHasItsValues() {
    @Dependency(\.optional) var optional
    withDependencies {
      $0 = .live
    } operation: {
      #expect(optional == 1)
    }
    withDependencies {
      $0 = .preview
    } operation: {
      #expect(optional == 1)
    }
    withDependencies {
      $0 = .test
    } operation: {
      #expect(optional == 2)
    }
    #expect(DependencyValues._current.optional == 2)
  }

  @Test func theTypeOfAKeyIsInferred() {
    withDependencies {
      $0.context = .live
    } operation: {
      @Dependency(Inferred.self) var inferred
      #expect(inferred(1) == "1")
    }
  }

  @Test func aDependencyIsReadAsAnotherType() {
    @Dependency(\.database, as: SQLite.self) var database
    @Dependency(DatabaseKey.self, as: SQLite.self) var byKey
    @Dependency(\.optional, as: Int?.self) var optional
    @Dependency(OptionalKey.self, as: Int?.self) var optionalByKey
    #expect([database.path, byKey.path] == ["test", "test"])
    #expect([optional, optionalByKey] == [2, 2])
  }

  @Test func aKeysValueSeesTheOverridesOfTheProperty() {
    let nested = withDependencies {
      $0.optional = 7
    } operation: {
      Dependency(Nested.self)
    }
    #expect(nested.wrappedValue.number == 7)
  }

  @Test func anUpdateMayBeAsynchronous() async {
    func load() async -> Int {
      await Task.yield()
      return 5
    }
    await withDependencies {
      $0.optional = await load()
    } operation: {
      @Dependency(\.optional) var optional
      #expect(optional == 5)
    }
    let model = withDependencies {
      $0.optional = 6
    } operation: {
      Plain()
    }
    let inherited = await withDependencies(from: model) {
      $0.optional = await load() + ($0.optional ?? 0)
    } operation: {
      DependencyValues._current.optional
    }
    #expect(inherited == 11)
    await prepareDependencies { $0[Inferred.self] = { [text = "\(await load())"] _ in text } }
    @Dependency(Inferred.self) var prepared
    #expect(prepared(1) == "5")
  }

  @Test func theInnermostCallAroundAModelHolds() {
    let model = withDependencies {
      $0.optional = 1
    } operation: {
      withDependencies {
        $0.optional = 2
      } operation: {
        Plain()
      }
    }
    #expect(withDependencies(from: model) { DependencyValues._current.optional } == 2)
    // A later call is outside of it.
    withDependencies {
      $0.optional = 3
    } operation: {
      model
    }
    #expect(withDependencies(from: model) { DependencyValues._current.optional } == 3)
  }

  @Test func aTestValueReportsOnlyWhenItIsRead() {
    enum Key: TestDependencyKey {
      static var testValue: Int {
        if shouldReportUnimplemented { reportIssue("Override it.") }
        return 1
      }
    }
    let report = withExpectedIssue {
      @Dependency(Key.self) var value
      #expect(value == 1)
    }
    #expect(report == ["Override it."])
    let issues = Recorder()
    withIssueReporters([issues]) {
      withDependencies {
        $0[Key.self] += 1
      } operation: {
        @Dependency(Key.self) var value
        #expect(value == 2)
      }
    }
    #expect(issues.messages == [])
  }

  @Test func workIsNotCancelledWithItsCaller() async {
    @Dependency(\.fireAndForget) var fireAndForget
    let isCancelled = LockIsolated<Bool?>(nil)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      await fireAndForget { isCancelled.setValue(Task.isCancelled) }
    }
    task.cancel()
    await task.value
    #expect(isCancelled.value == false)
  }

  @Test func aPlainValueCanBeUnimplemented() {
    let issues = withExpectedIssue {
      let value: Int = unimplemented("KeyTests.value", placeholder: 42)
      #expect(value == 42)
    }
    #expect(issues.count == 1)
    #expect(issues.first?.contains("KeyTests.value") == true)
    let function: @Sendable (Int) -> String = unimplemented("f", placeholder: "x")
    let calls = withExpectedIssue { _ = function(1) }
    #expect(calls.count == 1)
    let older: @Sendable () async throws -> String = XCTUnimplemented("g")
    _ = older
    #expect(withExpectedIssue { XCTFail("failed") } == ["failed"])
  }
}
