import Dependencies
import DependenciesTestSupport
import IssueReporting
import Testing

/// A value with an identity.
private final class Token: Sendable {
  static let liveCount = LockIsolated(0)
}

private enum TokenKey: DependencyKey {
  static var liveValue: Token {
    Token.liveCount.withValue { $0 += 1 }
    return Token()
  }
  static var testValue: Token { Token() }
}

/// A value whose creations are counted by one test.
private enum CountedKey: DependencyKey {
  static let creations = LockIsolated(0)
  static var liveValue: Int {
    creations.withValue { $0 += 1 }
    return 1
  }
  static let testValue = 0
}

private enum Setting: DependencyKey {
  static let liveValue = "live"
  static let testValue = "test"
}

extension DependencyValues {
  fileprivate var token: Token {
    get { self[TokenKey.self] }
    set { self[TokenKey.self] = newValue }
  }
  fileprivate var setting: String {
    get { self[Setting.self] }
    set { self[Setting.self] = newValue }
  }
}

/// The tokens of all tests, kept so that no two have the same address.
private let tokens = LockIsolated<[Token]>([])

private func expectOwnToken() async {
  @Dependency(\.token) var token
  let first = token
  #expect(token === first)
  let ofTask = await Task { DependencyValues._current.token }.value
  #expect(ofTask === first)
  tokens.withValue { tokens in
    #expect(!tokens.contains { $0 === first })
    tokens.append(first)
  }
}

@Suite struct CacheTests {
  @Test func oneTestHasItsOwnValue() async { await expectOwnToken() }
  @Test func anotherTestHasItsOwnValue() async { await expectOwnToken() }
  @Test(arguments: 1...5) func eachCaseHasItsOwnValue(number: Int) async { await expectOwnToken() }
  @Test(.dependencies) func aTestWithATraitHasItsOwnValue() async { await expectOwnToken() }

  @Test func aValueOutsideAnyTestIsTheProcesss() async {
    let tokens = await Task.detached { (DependencyValues._current.token, DependencyValues._current.token) }.value
    #expect(tokens.0 === tokens.1)
  }

  @Test func aLiveValueIsMadeOnce() {
    withDependencies {
      $0.context = .live
    } operation: {
      let before = Token.liveCount.value
      @Dependency(\.token) var token
      #expect(token === token)
      #expect(Token.liveCount.value == before + 1)
    }
  }

  @Test func concurrentReadersShareOneValue() async {
    await withDependencies {
      $0 = .live
    } operation: {
      await withTaskGroup { group in
        for _ in 0..<64 { group.addTask { _ = DependencyValues._current[CountedKey.self] } }
      }
      #expect(CountedKey.creations.value == 1)
    }
  }

  @Test func newDependenciesHaveNewValues() {
    @Dependency(\.token) var token
    let first = token
    withDependencies {
      $0 = DependencyValues()
    } operation: {
      let second = token
      #expect(second !== first && second === token)
      withDependencies {
        $0.setting = "changed"
      } operation: {
        #expect(token === second)
      }
    }
    #expect(token === first)
  }

  @Test func anUpdateMayUseAValueBeforeItsReaders() {
    withDependencies {
      $0 = .test
    } operation: {
      var ofUpdate: Token?
      withDependencies {
        ofUpdate = $0.token
      } operation: {
        #expect(DependencyValues._current.token === ofUpdate)
      }
    }
  }

  @Test func aPreparationIsOfTheCurrentContext() {
    withDependencies {
      $0.context = .live
    } operation: {
      prepareDependencies { $0.setting = "prepared" }
      #expect(DependencyValues._current.setting == "prepared")
    }
    #expect(DependencyValues._current.setting == "test")
  }

  @Test func previewsMayBePreparedRepeatedly() {
    withDependencies {
      $0.context = .preview
    } operation: {
      #expect(DependencyValues._current.setting == "live")
      prepareDependencies { $0.setting = "one" }
      prepareDependencies { $0.setting += " two" }
      #expect(DependencyValues._current.setting == "one two")
    }
  }

  @Test func aLatePreparationIsReportedAtItsLine() {
    let recorder = Recorder()
    _ = DependencyValues._current.setting
    withIssueReporters([recorder]) { prepareDependencies { $0.setting = "too late" } }
    #expect(recorder.lines == [#line - 1])
  }

  @Test func aPreparedValueHoldsForTheWholeTest() async {
    prepareDependencies { $0.setting = "prepared" }
    @Dependency(\.setting) var setting
    #expect(setting == "prepared")
    let ofTask = await Task { DependencyValues._current.setting }.value
    #expect(ofTask == "prepared")
    withDependencies {
      $0.setting += ", overridden"
    } operation: {
      #expect(setting == "prepared, overridden")
    }
  }

  @Test func anotherTestDoesNotSeeAPreparedValue() {
    #expect(DependencyValues._current.setting == "test")
  }

  @Test func aPreparationMayReadAndChangeWhatItPrepares() {
    prepareDependencies {
      $0.setting += " one"
      $0.setting += " two"
    }
    #expect(DependencyValues._current.setting == "test one two")
  }

  @Test func preparingWhatWasReadOrPreparedIsReportedAndHasNoEffect() {
    #expect(DependencyValues._current.setting == "test")
    let issues = withExpectedIssue { prepareDependencies { $0.setting = "too late" } }
    #expect(issues.first?.hasPrefix("@Dependency(\\.setting) has already been accessed or prepared") == true)
    #expect(DependencyValues._current.setting == "test")

    prepareDependencies { $0[TokenKey.self] = Token() }
    withExpectedIssue { prepareDependencies { $0[TokenKey.self] = Token() } }
  }

  @Test func aPreparedContextHoldsUnlessItIsOverridden() {
    prepareDependencies { $0.context = .live }
    #expect(DependencyValues._current.setting == "live")
    withDependencies {
      $0.context = .test
    } operation: {
      #expect(DependencyValues._current.setting == "test")
    }
  }
}
