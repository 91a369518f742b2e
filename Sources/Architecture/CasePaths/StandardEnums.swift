extension Optional: CasePathable, CasePathIterable {
  /// The case paths of an optional.
  @dynamicMemberLookup
  public struct AllCasePaths: CasePathReflectable, Sendable, Sequence {
    /// A case of the wrapped value.
    public subscript<Member>(
      dynamicMember keyPath: KeyPath<Wrapped.AllCasePaths, AnyCasePath<Wrapped, Member>>
    ) -> AnyCasePath<Wrapped?, Member> where Wrapped: CasePathable {
      some[dynamicMember: keyPath]
    }

    /// A case of the wrapped value with an optional payload, as in optional chaining; embedding nil gives nil.
    @_disfavoredOverload
    public subscript<Member>(
      dynamicMember keyPath: KeyPath<Wrapped.AllCasePaths, AnyCasePath<Wrapped, Member>>
    ) -> AnyCasePath<Wrapped?, Member?> where Wrapped: CasePathable {
      let path: AnyCasePath<Wrapped?, Member> = some[dynamicMember: keyPath]
      return path.toOptional()
    }

    public subscript(root: Wrapped?) -> PartialCaseKeyPath<Wrapped?> { root == nil ? \.none : \.some }

    /// The absence of a value.
    public var none: AnyCasePath<Wrapped?, Void> {
      AnyCasePath(embed: { Optional.none }, extract: { $0 == nil ? () : nil })
    }

    /// The value.
    public var some: AnyCasePath<Wrapped?, Wrapped> {
      AnyCasePath(embed: { $0 }, extract: { $0 })
    }

    public func makeIterator() -> IndexingIterator<[PartialCaseKeyPath<Wrapped?>]> {
      let paths: [PartialCaseKeyPath<Wrapped?>] = [\.none, \.some]
      return paths.makeIterator()
    }
  }

  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

extension AnyCasePath {
  /// The same case with an optional payload. Without a constraint of the types, which `@Sendable` closures would capture.
  fileprivate func toOptional<Wrapped>() -> AnyCasePath<Wrapped?, Value?> where Root == Wrapped? {
    let (embed, extract) = (_embed, _extract)
    return AnyCasePath<Wrapped?, Value?>(
      embed: { $0.flatMap { embed($0) } }, extract: { extract($0).map { (value) -> Value? in value } })
  }
}

extension Result: CasePathable, CasePathIterable {
  /// The case paths of a result.
  public struct AllCasePaths: CasePathReflectable, Sendable, Sequence {
    public subscript(root: Result) -> PartialCaseKeyPath<Result> {
      switch root {
      case .success: \.success
      case .failure: \.failure
      }
    }

    /// The success.
    public var success: AnyCasePath<Result, Success> {
      AnyCasePath(embed: { .success($0) }, extract: { if case .success(let value) = $0 { value } else { nil } })
    }

    /// The failure.
    public var failure: AnyCasePath<Result, Failure> {
      AnyCasePath(embed: { .failure($0) }, extract: { if case .failure(let error) = $0 { error } else { nil } })
    }

    public func makeIterator() -> IndexingIterator<[PartialCaseKeyPath<Result>]> {
      let paths: [PartialCaseKeyPath<Result>] = [\.success, \.failure]
      return paths.makeIterator()
    }
  }

  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

extension Never: CasePathable {
  /// No case paths.
  public struct AllCasePaths: Sendable {}

  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}
