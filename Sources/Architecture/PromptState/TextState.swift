public import ConcurrencyExtras

/// Text of a prompt as data: styled strings in sequence.
///
/// ```swift
/// TextState("Delete ") + TextState(name).bold() + TextState("?")
/// ```
///
/// Two texts are equal if they show the same characters in the same styles, however they were composed.
public struct TextState: Hashable, Sendable, _NonisolatedByDefault {
  /// A piece of text in one style.
  public struct Run: Hashable, Sendable {
    /// The characters.
    public var string: String
    /// The style of the characters.
    public var style: TextStyle

    /// Creates a piece of text.
    public init(_ string: String, style: TextStyle = TextStyle()) {
      (self.string, self.style) = (string, style)
    }
  }

  /// The text in order; no run is empty, and adjacent runs have different styles.
  public private(set) var runs: [Run] = []

  /// Creates text from exactly these characters.
  public init(verbatim content: String) {
    append(Run(content))
  }

  /// Creates text from a string.
  @_disfavoredOverload
  public init(_ content: some StringProtocol) {
    self.init(verbatim: String(content))
  }

  /// Creates text from a string.
  public init(_ content: String) {
    self.init(verbatim: content)
  }

  /// Joins pieces of text.
  package init(runs: [Run]) {
    for run in runs { append(run) }
  }

  /// Concatenates two texts.
  public static func + (lhs: Self, rhs: Self) -> Self {
    var result = lhs
    for run in rhs.runs { result.append(run) }
    return result
  }

  /// This text with every run's style changed.
  func styled(_ change: (inout TextStyle) -> Void) -> Self {
    var result = TextState("")
    for var run in runs {
      change(&run.style)
      result.append(run)
    }
    return result
  }

  private mutating func append(_ run: Run) {
    guard !run.string.isEmpty else { return }
    guard let last = runs.indices.last, runs[last].style == run.style, run.style.accessibilityLabel == nil else {
      return runs.append(run)
    }
    runs[last].string += run.string
  }
}

extension String {
  /// The characters of a text, without its styles.
  public init(state: TextState) {
    self = state.runs.map(\.string).joined()
  }
}
