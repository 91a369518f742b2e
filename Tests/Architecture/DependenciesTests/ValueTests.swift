import Dependencies
import DependenciesTestSupport
import FoundationEssentials
import IssueReporting
import Testing

/// A deterministic generator, which counts up.
private struct CountingGenerator: RandomNumberGenerator, Sendable {
  var count: UInt64 = 0

  mutating func next() -> UInt64 {
    count += 1
    return count
  }
}

@Suite struct ValueTests {
  @Test func identifiersFromNumbersAreWrittenInHexadecimal() {
    #expect(UUID(0).uuidString == "00000000-0000-0000-0000-000000000000")
    #expect(UUID(10).uuidString == "00000000-0000-0000-0000-00000000000A")
    #expect(UUID(0x1_0000_0000_0002).uuidString == "00000000-0000-0000-0001-000000000002")
  }

  @Test func aNegativeNumberHasTheDigitsOfItsComplement() {
    #expect(UUID(-1).uuidString == "00000000-0000-0000-0000-0000FFFFFFFF")
  }

  @Test func incrementingIdentifiersCountFromZeroForEachGenerator() {
    for _ in 0..<2 {
      let uuid = UUIDGenerator.incrementing
      #expect([uuid(), uuid()] == [UUID(0), UUID(1)])
    }
  }

  @Test(.dependency(\.uuid, .constant(UUID(7)))) func constantIdentifiersStayTheSame() {
    @Dependency(\.uuid) var uuid
    #expect([uuid(), uuid()] == [UUID(7), UUID(7)])
  }

  @Test func datesAreConstantOrMade() {
    let date = Date(timeIntervalSince1970: 1234)
    @Dependency(\.date) var currentDate
    @Dependency(\.date.now) var now
    let seconds = LockIsolated(0.0)
    let updates: [(inout DependencyValues) -> Void] = [
      { $0.date = .constant(date) },
      { $0.date.now = date },
      { $0.date = .init { Date(timeIntervalSince1970: 1234) } },
    ]
    for update in updates {
      withDependencies(update) { #expect(currentDate.now == date && currentDate() == date && now == date) }
    }
    withDependencies {
      $0.date = DateGenerator {
        seconds.withValue { $0 += 1 }
        return Date(timeIntervalSince1970: seconds.value)
      }
    } operation: {
      #expect(now < now)
    }
  }

  @Test func whatIsNotOverriddenIsReportedByName() async {
    @Dependency(\.self) var dependencies
    let uses: [(String, @Sendable (DependencyValues) async -> Void)] = [
      ("date", { _ = $0.date.now }),
      ("uuid", { _ = $0.uuid() }),
      ("calendar", { _ = $0.calendar }),
      ("locale", { _ = $0.locale }),
      ("timeZone", { _ = $0.timeZone }),
      ("continuousClock.sleep", { try? await $0.continuousClock.sleep(for: .zero) }),
      ("suspendingClock.sleep", { try? await $0.suspendingClock.sleep(for: .zero) }),
      ("withRandomNumberGenerator", { _ = $0.withRandomNumberGenerator { $0.next() } }),
    ]
    for (name, use) in uses {
      let issues = await withExpectedIssue("\(name)") { await use(dependencies) }
      #expect(issues.allSatisfy { $0.hasPrefix("Unimplemented: @Dependency(\\.") })
      #expect(issues.contains { $0.hasPrefix("Unimplemented: @Dependency(\\.\(name)) …") || name.contains(".") })
      #expect(issues.contains { $0.contains(name) || $0.contains(name.replacing(".sleep", with: ").sleep")) })
    }
  }

  @Test func overridesOfPartsAreNotReported() throws {
    let utc = try #require(TimeZone(secondsFromGMT: 0))
    let recorder = Recorder()
    withIssueReporters([recorder]) {
      withDependencies {
        $0.calendar = Calendar(identifier: .gregorian)
        $0.calendar.timeZone = utc
        $0.timeZone = utc
        $0.locale = Locale(identifier: "fi_FI")
        $0.continuousClock = ImmediateClock()
        $0.suspendingClock = ImmediateClock()
      } operation: {
        @Dependency(\.self) var dependencies
        #expect(dependencies.calendar.timeZone == utc && dependencies.timeZone == utc)
        #expect(dependencies.locale.identifier == "fi_FI")
        #expect(dependencies.continuousClock is ImmediateClock<Duration>)
        #expect(dependencies.suspendingClock is ImmediateClock<Duration>)
      }
    }
    #expect(recorder.messages.isEmpty)
  }

  @Test func liveValuesAreTheSystems() {
    withDependencies {
      $0.context = .live
    } operation: {
      @Dependency(\.self) var dependencies
      #expect(dependencies.calendar == .autoupdatingCurrent)
      #expect(dependencies.continuousClock is ContinuousClock)
      #expect(dependencies.suspendingClock is SuspendingClock)
      #expect(abs(dependencies.date.now.timeIntervalSinceNow) < 60)
      #expect(dependencies.uuid() != dependencies.uuid())
    }
  }

  @Test(.dependency(\.withRandomNumberGenerator, WithRandomNumberGenerator(CountingGenerator())))
  func aGeneratorGoesOnFromLoanToLoan() {
    @Dependency(\.withRandomNumberGenerator) var withRandomNumberGenerator
    #expect(withRandomNumberGenerator { $0.next() } == 1)
    #expect(withRandomNumberGenerator { [$0.next(), $0.next()] } == [2, 3])
    #expect((1...6).contains(withRandomNumberGenerator { Int.random(in: 1...6, using: &$0) }))
  }

  @Test func testsWaitForWhatIsFiredAndForgotten() async {
    @Dependency(\.fireAndForget) var fireAndForget
    let isDone = LockIsolated(false)
    await fireAndForget {
      await Task.megaYield()
      isDone.setValue(true)
      throw CancellationError()
    }
    #expect(isDone.value)
  }

  @Test(arguments: [DependencyContext.test, .live])
  func anErrorOfWhatIsFiredAndForgottenIsReportedAtTheCall(context: DependencyContext) async {
    struct Failure: Error {}
    let reporter = Recorder()
    await withIssueReporters([reporter]) {
      await withDependencies {
        $0.context = context
      } operation: {
        @Dependency(\.fireAndForget) var fireAndForget
        await fireAndForget { throw Failure() }
        await fireAndForget { throw CancellationError() }
      }
    }
    while reporter.messages.isEmpty { await Task.yield() }
    #expect(reporter.messages == ["Caught error: Failure(): Work of “fireAndForget” failed"])
    #expect(reporter.lines == [#line - 6])
  }

  @Test func preferredLocalesAreThoseOfTheUser() {
    let locales = [Locale(identifier: "de_DE"), Locale(identifier: "en_US")]
    withDependencies {
      $0.preferredLocales = locales
    } operation: {
      @Dependency(\.preferredLocales) var preferredLocales
      #expect(preferredLocales == locales)
    }
    let issues = withExpectedIssue {
      @Dependency(\.preferredLocales) var preferredLocales
      _ = preferredLocales
    }
    #expect(issues.first?.hasPrefix("Unimplemented: @Dependency(\\.preferredLocales) …") == true)
  }

  @Test(.timeLimit(.minutes(30))) func programsDoNotWaitForWhatIsFiredAndForgotten() async {
    let (done, isDone) = AsyncStream.makeStream(of: Void.self)
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    await withDependencies {
      $0.context = .live
    } operation: {
      @Dependency(\.fireAndForget) var fireAndForget
      await fireAndForget(priority: .high) {
        for await _ in gate {}
        isDone.yield()
      }
    }
    open.finish()
    for await _ in done { break }
  }

  @Test func failedAssertionsAreReportedInTests() {
    @Dependency(\.self) var dependencies
    let recorder = Recorder()
    withIssueReporters([recorder]) {
      dependencies.assert(true, "fine")
      dependencies.precondition(true)
      dependencies.assert(1 > 2, "assert")
      dependencies.precondition(1 > 2, "precondition")
      dependencies.assertionFailure("failure")
      dependencies.assertionFailure()
    }
    #expect(recorder.messages == ["assert", "precondition", "failure", "Assertion failed"])
    #expect(recorder.lines == recorder.lines.sorted() && Set(recorder.lines).count == 4)
  }

  @Test func failedPreconditionsEndPrograms() async {
    await #expect(processExitsWith: .failure) {
      withDependencies {
        $0.context = .live
      } operation: {
        @Dependency(\.precondition) var precondition
        precondition(1 > 2, "no further")
      }
    }
  }

  @Test func foundationsTypesHavePlaceholders() {
    let now: @Sendable () -> Date = unimplemented("now")
    let load: @Sendable (UUID) async -> (URL, Data)? = unimplemented("load")
    let site: (Int) -> URL = unimplemented("site")
    let id: () -> UUID = unimplemented("id")
    let issues = withExpectedIssue {
      #expect(now() <= Date())
      #expect(site(1).isFileURL)
      #expect(id() != id())
    }
    #expect(issues.count == 4)
    _ = load
  }
}
