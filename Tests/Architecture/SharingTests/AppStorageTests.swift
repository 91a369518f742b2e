import Dependencies
import Foundation
import Testing

@testable import Sharing

private enum Theme: String, Sendable { case light, dark }
private struct Level: RawRepresentable, Equatable, Sendable { var rawValue: Int }

extension SharedKey where Self == AppStorageKey<Bool>.Default {
  fileprivate static var isDimmed: Self { Self[.appStorage("isDimmed"), default: true] }
}

@Suite(.timeLimit(.minutes(30))) struct AppStorageTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private var store: AppStorage { AppStorage(file: directory.file("app/settings.json")) }

  @Test func everyTypeComesBackAsItWas() {
    func roundTrip<Value: Equatable & Sendable>(
      _ values: [Value], default value: Value, _ key: () -> AppStorageKey<Value>
    ) {
      for new in values {
        elsewhere { Shared(wrappedValue: value, key()) }.withLock { $0 = new }
        #expect(elsewhere { Shared(wrappedValue: value, key()) }.wrappedValue == new)
      }
    }
    roundTrip([true, false], default: false) { .appStorage("bool", store: store) }
    roundTrip([Int.min, -1, 0, Int.max], default: 1) { .appStorage("int", store: store) }
    roundTrip([0, 1, -0.5, .pi, .infinity, .leastNonzeroMagnitude], default: 9) { .appStorage("double", store: store) }
    roundTrip(["", "ä\"\n🎉"], default: "x") { .appStorage("string", store: store) }
    roundTrip([Data([0, 255, 1])], default: Data()) { .appStorage("data", store: store) }
    if let url = URL(string: "https://example.com/a?b=c") {
      roundTrip([url], default: URL(filePath: "/")) { .appStorage("url", store: store) }
    }
    roundTrip([Date(timeIntervalSince1970: 1.5)], default: .distantPast) { .appStorage("date", store: store) }
    roundTrip([["a", "b"], []], default: ["x"]) { .appStorage("strings", store: store) }
    roundTrip([Theme.dark], default: .light) { .appStorage("theme", store: store) }
    roundTrip([Level(rawValue: 3)], default: Level(rawValue: 0)) { .appStorage("level", store: store) }
    roundTrip([1, nil, 2] as [Int?], default: nil) { .appStorage("maybe", store: store) }
    roundTrip([.dark] as [Theme?], default: nil) { .appStorage("maybeTheme", store: store) }
  }

  @Test func datesKeepAllTheirDigits() throws {
    let special: [TimeInterval] = [
      0, 0.1, -0.1, 1e-10, 0.3 + 785_432_100, 785_000_000.0000001, -978_307_200, -978_307_199.9, 1e12 + 0.1,
      -63_114_076_800, 64_092_211_200,
      0x1.123456789abcdp+60, 1e40, 1e300, .infinity,
    ]
    let random = (0..<1000).map { _ in TimeInterval.random(in: -2e9...2e9) }
    let dates = (special + random).map { Date(timeIntervalSinceReferenceDate: $0) }
    elsewhere { Shared(wrappedValue: [], .appStorage("dates", store: store)) }.withLock { $0 = dates }
    let read = elsewhere { Shared(wrappedValue: [Date](), .appStorage("dates", store: store)) }.wrappedValue
    for (date, read) in zip(dates, read) { #expect(date == read, "\(date.timeIntervalSinceReferenceDate)") }
    #expect(read.count == dates.count)
    // The form of earlier versions.
    try Data(#"{"old": [1.5, 1763307200, 1763307200.25]}"#.utf8).write(to: directory.file("old.json"))
    let old = AppStorage(file: directory.file("old.json"))
    #expect(
      elsewhere { Shared(wrappedValue: [Date](), .appStorage("old", store: old)) }.wrappedValue
        == [1.5, 1_763_307_200, 1_763_307_200.25].map { Date(timeIntervalSince1970: $0) })
  }

  @Test func theFileIsReadableAndKeepsWhatNobodyAskedFor() throws {
    let file = directory.file("settings.json")
    try Data(#"{"theirs": {"deep": [1, null, 2.5]}, "count": 1}"#.utf8).write(to: file)
    let count = elsewhere { Shared(wrappedValue: 0, .appStorage("count", store: AppStorage(file: file))) }
    #expect(count.wrappedValue == 1)
    count.withLock { $0 = 2 }
    let text = try #require(directory.text("settings.json"))
    #expect(text.filter { !$0.isWhitespace } == #"{"count":2,"theirs":{"deep":[1,null,2.5]}}"#)
  }

  @Test func numbersKeepAllTheirDigits() throws {
    let theirs = ["18446744073709551614", "-0.1234567890123456789012345", "1234567890123456789012345", "0.1", "3"]
    try Data(#"{"theirs": [\#(theirs.joined(separator: ","))]}"#.utf8).write(to: directory.file("settings.json"))
    let store = AppStorage(file: directory.file("settings.json"))
    let digits = "12345678901234567890.12345"
    let (number, decimal) = (UInt64.max - 1, try #require(Decimal(string: digits)))
    elsewhere { Shared(wrappedValue: UInt64(), .appStorage("number", store: store)) }.withLock { $0 = number }
    elsewhere { Shared(wrappedValue: Decimal(), .appStorage("price", store: store)) }.withLock { $0 = decimal }
    #expect(elsewhere { Shared(wrappedValue: UInt64(), .appStorage("number", store: store)) }.wrappedValue == number)
    #expect(elsewhere { Shared(wrappedValue: Decimal(), .appStorage("price", store: store)) }.wrappedValue == decimal)
    let text = try #require(directory.text("settings.json")).filter { !$0.isWhitespace }
    #expect(
      text == #"{"number":18446744073709551614,"price":\#(digits),"theirs":[\#(theirs.joined(separator: ","))]}"#)
    let reals = elsewhere { Shared(wrappedValue: [0.0], .appStorage("theirs", store: store)) }
    #expect(reals.wrappedValue == theirs.compactMap { Double($0) })
  }

  /// Otherwise a key would take its own change for one of another program.
  @Test func whatIsReadEqualsWhatWasWritten() throws {
    let numbers = [
      1, -0.0, 0.1, 1e15, -0x1p53, 0x1p53 + 2, 0x1p63, -0x1p63, 0x1p64, 1e19, 1.5e25, 1e-128, 1e300,
      .leastNonzeroMagnitude, .pi,
    ]
    for number in numbers {
      for json in [number._appStorage.json, try JSONValue(encoding: number)] {
        #expect(try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(json)) == json)
        #expect(Double(_appStorage: AppStorageRepresentation(json: json)) == number)
      }
    }
  }

  @Test func settingsOfOneFileDoNotLoseEachOthersChanges() async {
    let store = store
    await withTaskGroup { group in
      for name in ["a", "b", "c", "d"] {
        group.addTask {
          let count = elsewhere { Shared(wrappedValue: 0, .appStorage(name, store: store)) }
          for _ in 0..<20 { count.withLock { $0 += 1 } }
        }
      }
    }
    for name in ["a", "b", "c", "d"] {
      #expect(elsewhere { Shared(wrappedValue: 0, .appStorage(name, store: store)) }.wrappedValue == 20)
    }
  }

  @Test func theChangeOfAnotherProgramIsSeen() async {
    let ours = elsewhere { Shared(wrappedValue: "", .appStorage("name", store: store)) }
    let theirs = elsewhere { Shared(wrappedValue: "", .appStorage("name", store: store)) }
    theirs.withLock { $0 = "Blob" }
    await ours.reaches { $0 == "Blob" }
  }

  @Test func settingsBelongWhereTheUserKeepsThem() {
    func directory(_ variables: [String: String]) -> String { AppStorage.configurationDirectory { variables[$0] } }
    #expect(directory(["XDG_CONFIG_HOME": "/x", "HOME": "/home/blob"]) == "/x")
    #expect(directory(["XDG_CONFIG_HOME": "relative", "HOME": "/home/blob"]) == "/home/blob/.config")
    #expect(directory(["HOME": "/home/blob"]) == "/home/blob/.config")
    #expect(directory([:]).hasPrefix("/"))
  }

  @Test func aProcessThatEditsTheSettingsIsSeen() async throws {
    let file = directory.file("settings.json")
    let count = elsewhere { Shared(wrappedValue: 0, .appStorage("count", store: AppStorage(file: file))) }
    let other = elsewhere { Shared(wrappedValue: 0, .appStorage("other", store: AppStorage(file: file))) }
    let seen = Log()
    let subscription = other.subscribe { seen.add($0) }
    let shell = try Process.run(
      URL(filePath: "/bin/sh"), arguments: ["-c", "echo '{\"count\": 6}' > \"$0\"", file.path])
    await count.reaches { $0 == 6 }
    shell.waitUntilExit()
    #expect(seen.values == [0])
    subscription.cancel()
  }

  @Test func nilRemovesTheSetting() {
    let name: Shared<String?> = elsewhere { Shared(.appStorage("name", store: store)) }
    name.withLock { $0 = "Blob" }
    #expect(directory.text("app/settings.json")?.contains("Blob") == true)
    name.withLock { $0 = nil }
    #expect(directory.text("app/settings.json")?.contains("name") == false)
  }

  @Test func aSettingOfAnotherTypeIsALoadError() throws {
    let file = directory.file("settings.json")
    try Data(#"{"count": "many"}"#.utf8).write(to: file)
    let count = elsewhere { Shared(wrappedValue: 3, .appStorage("count", store: AppStorage(file: file))) }
    #expect(count.wrappedValue == 3)
    #expect(count.loadError is SettingHasOtherType)
  }

  @Test func aFileWithAMistakeIsNotOverwritten() throws {
    let file = directory.file("settings.json")
    try Data(#"{"count": 1,, }"#.utf8).write(to: file)
    let count = elsewhere { Shared(wrappedValue: 3, .appStorage("count", store: AppStorage(file: file))) }
    #expect(count.wrappedValue == 3)
    count.withLock { $0 = 4 }
    #expect(count.saveError is DecodingError)
    #expect(directory.text("settings.json") == #"{"count": 1,, }"#)
  }

  @Test func testsHaveSettingsInMemory() {
    @Shared(.isDimmed) var isDimmed
    #expect(isDimmed)
    $isDimmed.withLock { $0 = false }
    @Shared(.appStorage("isDimmed")) var again = true
    #expect(!again)
    withDependencies {
      $0.persistentReferences = PersistentReferences()
    } operation: {
      @Shared(.isDimmed) var other
      #expect(!other)
    }
  }

  @Test func aStringAndABoolOfOneNameAreSeenAsAMistake() {
    @Shared(.appStorage("k")) var bool = true
    let issues = Issues.during {
      @Shared(.appStorage("k")) var string = ""
      #expect(string.isEmpty)
    }
    #expect(bool && issues.count == 1)
  }
}
