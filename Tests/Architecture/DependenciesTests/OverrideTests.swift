import Dependencies
import Glibc
import IssueReporting
import Testing

private enum Greeting: DependencyKey {
  static let liveValue = "live"
  static let testValue = "test"
  static let previewValue = "preview"
}

/// A key without a value in production.
private enum TestOnly: TestDependencyKey {
  static let testValue = "test only"
}

extension DependencyValues {
  fileprivate var greeting: String {
    get { self[Greeting.self] }
    set { self[Greeting.self] = newValue }
  }
}

private struct Reader: Sendable {
  @Dependency(\.greeting) var greeting
  @Dependency(Greeting.self) var byType
}

@Suite struct OverrideTests {
  @Test func theContextDecidesWhatNobodyOverrode() {
    #expect(DependencyValues().context == .test)
    #expect(Reader().greeting == "test")
    for (context, value) in [(DependencyContext.live, "live"), (.preview, "preview"), (.test, "test")] {
      withDependencies {
        $0.context = context
      } operation: {
        #expect(Reader().greeting == value)
      }
    }
  }

  @Test func aKeyWithoutALiveValueUsesItsTestValueEverywhere() {
    var values = DependencyValues()
    for context in [DependencyContext.live, .preview, .test] {
      values.context = context
      withExpectedIssue(isIntermittent: context != .live) {
        #expect(values[TestOnly.self] == "test only")
      }
    }
  }

  @Test func overridesNestAndEndWithTheirOperation() {
    let reader = Reader()
    withDependencies {
      $0.greeting = "outer"
    } operation: {
      #expect(reader.greeting == "outer")
      withDependencies {
        $0.greeting += " and inner"
      } operation: {
        #expect(reader.greeting == "outer and inner")
        #expect(reader.byType == "outer and inner")
      }
      #expect(reader.greeting == "outer")
    }
    #expect(reader.greeting == "test")
  }

  @Test func anOverrideEndsWhenTheOperationThrows() {
    struct Failure: Error {}
    #expect(throws: Failure.self) {
      try withDependencies {
        $0.greeting = "x"
      } operation: {
        throw Failure()
      }
    }
    #expect(Reader().greeting == "test")
  }

  @Test func theEarlierFormsOverrideAsWell() {
    let reader = Reader()
    DependencyValues.withValue(\.greeting, "one") { #expect(reader.greeting == "one") }
    DependencyValues.withValues {
      $0.greeting = "two"
    } operation: {
      #expect(reader.greeting == "two")
    }
    DependencyValues.withTestValues {
      $0.greeting = "three"
    } assert: {
      #expect(reader.greeting == "three")
    }
    #expect(reader.greeting == "test")
  }

  @Test func theEarlierFormsOverrideForAnAsynchronousOperation() async {
    let reader = Reader()
    await DependencyValues.withValue(\.greeting, "four") {
      await Task.yield()
      #expect(reader.greeting == "four")
    }
    let greeting = await DependencyValues.withValues {
      $0.greeting = "five"
    } operation: {
      await Task.yield()
      return reader.greeting
    }
    #expect(greeting == "five")
    await DependencyValues.withTestValues {
      await Task.yield()
      $0.greeting = "six"
    } assert: {
      await Task.yield()
      #expect(reader.greeting == "six")
    }
    #expect(reader.greeting == "test")
  }

  @Test func aReaderRemembersTheOverridesOfWhereItWasMade() {
    let reader = withDependencies {
      $0.greeting = "made here"
    } operation: {
      Reader()
    }
    #expect(reader.greeting == "made here")
    withDependencies {
      $0.greeting = "read here"
    } operation: {
      #expect(reader.greeting == "read here")
    }
  }

  @Test func childTasksInheritOverrides() async {
    await withDependencies {
      $0.greeting = "parent"
    } operation: {
      await Task.yield()
      async let child = Reader().greeting
      #expect(await child == "parent")
      #expect(await Task { Reader().greeting }.value == "parent")
      #expect(await Task.detached { Reader().greeting }.value == "test")
    }
  }

  @Test func escapedDependenciesHoldInADetachedTask() async {
    let escaped = withDependencies {
      $0.greeting = "escaped"
    } operation: {
      withEscapedDependencies { $0 }
    }
    let detached = Task.detached { escaped.yield { Reader().greeting } }
    #expect(await detached.value == "escaped")
    let asynchronous = Task.detached {
      await escaped.yield {
        await Task.yield()
        return Reader().greeting
      }
    }
    #expect(await asynchronous.value == "escaped")
  }

  @Test func escapedDependenciesHoldAfterAnAsynchronousEscape() async {
    let escaped = await withDependencies {
      $0.greeting = "escaped"
    } operation: {
      await withEscapedDependencies { dependencies in
        await Task.yield()
        return dependencies
      }
    }
    #expect(escaped.yield { Reader().greeting } == "escaped")
  }

  /// Runs in separate processes, because the environment is read once.
  @Test func theEnvironmentDecidesTheContext() async {
    await #expect(processExitsWith: .success) {
      setenv("SWIFT_DEPENDENCIES_CONTEXT", "preview", 1)
      precondition(Reader().greeting == "preview")
    }
    await #expect(processExitsWith: .success) {
      setenv("SWIFT_DEPENDENCIES_CONTEXT", "nonsense", 1)
      let issues = withExpectedIssue { precondition(DependencyValues().context == .test) }
      precondition(issues.first?.contains("may be live, test or preview") == true)
    }
  }
}
