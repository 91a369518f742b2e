internal import IssueReporting

/// An enum whose cases can be named by key paths.
///
/// `@CasePathable` generates the conformance:
///
/// ```swift
/// @CasePathable enum AppAction { case counter(Counter.Action) }
///
/// Scope(state: \.counter, action: \.counter) { Counter() }
/// ```
public protocol CasePathable: SendableMetatype {
  /// The case paths, as properties named after the cases.
  associatedtype AllCasePaths

  /// The case paths.
  static var allCasePaths: AllCasePaths { get }

  /// The position of a value's case among the cases, if the conformance is generated; otherwise nil.
  static func _caseIndex(of value: Self) -> Int?

  /// The payload of a value whose case has this position and a single payload of this type, if the conformance is
  /// generated; otherwise nil. Where the types are known, the compiler reduces it to a comparison.
  static func _payload<Payload>(of value: Self, at index: Int) -> Payload?
}

extension CasePathable {
  @inlinable public static func _caseIndex(of value: Self) -> Int? { nil }
  @inlinable public static func _payload<Payload>(of value: Self, at index: Int) -> Payload? { nil }
}

/// The case paths of an enum that can determine the case of a value: `Action.allCasePaths[action]`.
public protocol CasePathReflectable<Root>: SendableMetatype {
  /// The enum.
  associatedtype Root: CasePathable

  /// The case of a value.
  subscript(root: Root) -> PartialCaseKeyPath<Root> { get }
}

/// An enum whose cases can be listed: `Array(Action.allCasePaths)`.
public protocol CasePathIterable: CasePathable where AllCasePaths: Sequence<PartialCaseKeyPath<Self>> {}

/// A key path that names a case, or a case within a case: `\.counter`, `\.counter.timerTicked`.
public typealias CaseKeyPath<Root, Value> = KeyPath<Case<Root>, Case<Value>>

/// A case key path without the type of its payload.
public typealias PartialCaseKeyPath<Root> = PartialKeyPath<Case<Root>>

/// A case key path without its types.
public typealias AnyCaseKeyPath = AnyKeyPath

extension CasePathable {
  /// The root of case key paths of this enum: `\Action.Cases.counter`.
  public typealias Cases = Case<Self>

  /// Returns true if the value is of the named case.
  public func `is`(_ keyPath: PartialCaseKeyPath<Self>) -> Bool {
    (Case<Self>()[keyPath: keyPath] as? any AnyCaseExtracting)?.isCase(of: self) ?? false
  }

  /// The payload of the named case; nil if the value is of another case.
  ///
  /// Setting it replaces the payload of a value of that case, and has no effect on other values.
  public subscript<Value>(case keyPath: CaseKeyPath<Self, Value>) -> Value? {
    get { AnyCasePath(keyPath).extract(from: self) }
    set {
      let path = AnyCasePath(keyPath)
      guard let newValue, path.extract(from: self) != nil else { return }
      self = path.embed(newValue)
    }
  }

  /// The payload of the named case, type-erased.
  @_disfavoredOverload
  public subscript(case keyPath: PartialCaseKeyPath<Self>) -> Any? {
    (Case<Self>()[keyPath: keyPath] as? any AnyCaseExtracting)?.payload(of: self)
  }

  /// The payload of the named case, for enums that are `@dynamicMemberLookup`.
  ///
  /// `state.detail?.title = "New"` changes the payload of a value of that case, and has no effect on other values.
  public subscript<Value>(dynamicMember keyPath: CaseKeyPath<Self, Value>) -> Value? {
    get { self[case: keyPath] }
    set { self[case: keyPath] = newValue }
  }

  /// Changes the payload of the named case in place. A value of another case does not change and is reported as an
  /// issue.
  public mutating func modify<Value>(
    _ keyPath: CaseKeyPath<Self, Value>, yield: (inout Value) -> Void,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    guard AnyCasePath(keyPath)._modify(&self, yield) == nil else { return }
    reportIssue(
      "Can't modify '\(self)' via 'CaseKeyPath<\(Self.self), \(Value.self)>': the value is of another case",
      fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// Matches a case in a pattern: `case \.counter:`.
public func ~= <Root: CasePathable>(keyPath: PartialCaseKeyPath<Root>, value: Root) -> Bool {
  value.is(keyPath)
}

extension CasePathable where AllCasePaths: CasePathReflectable<Self> {
  /// The case of a value.
  public static func caseKeyPath(of value: Self) -> PartialCaseKeyPath<Self> {
    allCasePaths[value]
  }
}
