public import FoundationEssentials
internal import IssueReporting

extension DependencyValues {
  /// The generator of the current date.
  ///
  /// In a hub's reducer it is the time of the turn, which the journal stores, and in an effect the machine's.
  ///
  /// ```swift
  /// @Dependency(\.date.now) var now
  /// ```
  public var date: DateGenerator {
    get { self[DateKey.self] }
    set { self[DateKey.self] = newValue }
  }
}

/// Generates dates.
public struct DateGenerator: Sendable {
  private var generate: @Sendable (_ place: IssueLocation?) -> Date

  /// Creates a generator that calls a function for each date.
  public init(_ generate: @escaping @Sendable () -> Date) {
    self.generate = { _ in generate() }
  }

  fileprivate init(reporting generate: @escaping @Sendable (_ place: IssueLocation?) -> Date) {
    self.generate = generate
  }

  /// A generator that always returns the same date.
  public static func constant(_ date: Date) -> DateGenerator {
    DateGenerator { date }
  }

  /// The current date. Setting it makes the generator always return it: `$0.date.now = Date(timeIntervalSince1970: 0)`.
  public var now: Date {
    get { generate(nil) }
    set { generate = { _ in newValue } }
  }

  /// The current date.
  public func callAsFunction(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> Date {
    generate(IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// The current date, for use as a function without arguments: `date.callAsFunction`.
  @_disfavoredOverload
  public func callAsFunction() -> Date { generate(nil) }
}

private enum DateKey: DependencyKey {
  static let isReproducible = true
  static let liveValue = DateGenerator { ofReducer ?? Date() }
  static var testValue: DateGenerator {
    let report = unimplementedReport(of: "date")
    return DateGenerator(reporting: { place in
      if let date = ofReducer { return date }
      report("", place)
      return Date()
    })
  }

  /// The time of the action that a hub's reducer handles on this thread.
  private static var ofReducer: Date? {
    guard let time = ReducerSurroundings.current?.time else { return nil }
    return Date(timeIntervalSince1970: Double(time) / 1000)
  }
}
