internal import CasePaths

/// The cases of an action whose type can list them and tell them apart.
struct ActionCases<Action> {
  /// All cases. A key path that leads further, into a case's payload, is not among them.
  let keyPaths: Set<PartialCaseKeyPath<Action>>
  /// The case of an action.
  let keyPath: (Action) -> PartialCaseKeyPath<Action>
  /// The number of an action's case.
  let tag: EnumTag<Action>

  /// Nil when the type is no enum with case paths that `@CasePathable` could have written.
  init?() {
    guard let tag = EnumTag<Action>(), let type = Action.self as? any CasePathIterable.Type,
      let cases = Self.cases(of: type)
    else { return nil }
    (keyPaths, keyPath) = cases
    self.tag = tag
  }

  private typealias Cases = (keyPaths: Set<PartialCaseKeyPath<Action>>, keyPath: (Action) -> PartialCaseKeyPath<Action>)

  private static func cases<Root: CasePathIterable>(of type: Root.Type) -> Cases? {
    guard let paths = Root.allCasePaths as? any CasePathReflectable<Root> else { return nil }
    let keyPaths = Root.allCasePaths.compactMap { $0 as AnyKeyPath as? PartialCaseKeyPath<Action> }
    return (
      Set(keyPaths),
      { action in
        guard let root = action as? Root, let path = paths[root: root] as AnyKeyPath as? PartialCaseKeyPath<Action>
        else { preconditionFailure("\(Root.self) is \(Action.self)") }
        return path
      }
    )
  }
}

/// Reads the number of an enum value's case from the type's value witnesses, which are part of Swift's ABI.
struct EnumTag<Value> {
  private typealias GetEnumTag = @convention(c) (UnsafeRawPointer, UnsafeRawPointer) -> UInt32

  private let type: UnsafeRawPointer
  private let getEnumTag: GetEnumTag

  /// Nil when the type is no enum.
  init?() {
    type = unsafeBitCast(Value.self as Any.Type, to: UnsafeRawPointer.self)
    let word = MemoryLayout<UnsafeRawPointer>.size
    let isEnum = type.load(as: UInt.self) == 0x201
    guard isEnum else { return nil }
    let witnesses = type.load(fromByteOffset: -word, as: UnsafeRawPointer.self)
    // Eight functions, the size, the stride, two words of 32 bits; then what only enums have.
    let flags = witnesses.load(fromByteOffset: 10 * word, as: UInt32.self)
    guard flags & 0x20_0000 != 0 else { return nil }
    getEnumTag = witnesses.load(fromByteOffset: 10 * word + 8, as: GetEnumTag.self)
  }

  func of(_ value: Value) -> Int {
    withUnsafePointer(to: value) { Int(getEnumTag($0, type)) }
  }
}
