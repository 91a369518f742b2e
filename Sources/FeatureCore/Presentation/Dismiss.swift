public import Dependencies
internal import IssueReporting

/// Asks the parent to dismiss the feature: `@Dependency(\.dismiss) var dismiss`, then `await dismiss()` in an effect.
///
/// It sends the parent's `.dismiss` action, or pops the feature from its stack. This cancels the feature's effects, so
/// an effect should dismiss last.
public struct DismissEffect: Sendable {
  private let override: (@MainActor @Sendable () async -> Void)?
  /// True for the fallback without a presented feature, as in a test of the feature alone.
  private let isFallback: Bool

  /// Creates a replacement for tests that observe dismissals.
  public init(_ dismiss: @escaping @MainActor @Sendable () async -> Void) {
    self.init(dismiss, isFallback: false)
  }

  package init(_ dismiss: (@MainActor @Sendable () async -> Void)?, isFallback: Bool) {
    override = dismiss
    self.isFallback = isFallback
  }

  /// True for a replacement, which also makes the feature presented.
  package var isReplacement: Bool { override != nil && !isFallback }

  /// Dismisses the feature that the calling effect belongs to.
  @MainActor
  public func callAsFunction(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) async {
    if let override, isReplacement { return await override() }
    if let context = EffectContext.current, let presentation = context.place.presentation {
      // A cancelled effect does not dismiss: its feature is gone, and another may have taken its place.
      if !Task.isCancelled { context.dismiss(presentation) }
      return
    }
    if let override { return await override() }
    reportIssue(
      """
      A reducer requested dismissal at "\(fileID):\(line)", but couldn't be dismissed. …

      This is generally considered an application logic error, and can happen when a reducer assumes it runs in a \
      presentation context. If a reducer can run at both the root level of an application, as well as in a \
      presentation destination, use @Dependency(\\.isPresented) to determine if the reducer is being presented before \
      calling @Dependency(\\.dismiss).
      """, fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

extension DismissEffect: TestDependencyKey {
  public static var testValue: DismissEffect { DismissEffect(nil, isFallback: true) }
  public static var previewValue: DismissEffect { testValue }
}

extension DismissEffect: DependencyKey {
  public static var liveValue: DismissEffect { testValue }
  /// True: a dismissal is an action.
  public static let isReproducible = true
}

extension DependencyValues {
  /// Asks the parent to dismiss the feature.
  public var dismiss: DismissEffect {
    get { self[DismissEffect.self] }
    set { self[DismissEffect.self] = newValue }
  }

  /// True if the feature is presented, and so can be dismissed.
  public var isPresented: Bool {
    get {
      self[IsPresentedKey.self]
        ?? (replacesDismiss || PresentationContext.isPresented || EffectContext.current?.isPresented == true)
    }
    set { self[IsPresentedKey.self] = newValue }
  }

  /// True if ``dismiss`` is replaced.
  fileprivate var replacesDismiss: Bool { override(of: DismissEffect.self)?.isReplacement == true }
}

private enum IsPresentedKey: DependencyKey {
  static let isReproducible = true
  static var liveValue: Bool? { nil }
  static var testValue: Bool? { nil }
}

/// True while a presented feature is being reduced.
@usableFromInline
enum PresentationContext {
  @TaskLocal static var isPresented = false

  @usableFromInline
  static func reducing<Result>(_ operation: () -> Result) -> Result {
    if DependencyValues._current.replacesDismiss { return withoutReplacement { reducing(operation) } }
    return isPresented ? operation() : $isPresented.withValue(true, operation: operation)
  }

  /// A replacement applies to the feature around the presented child. The child asks that feature to dismiss it.
  private static func withoutReplacement<Result>(_ operation: () -> Result) -> Result {
    var values = DependencyValues._current
    values.dismiss = .testValue
    return DependencyValues.$_current.withValue(values, operation: operation)
  }
}
