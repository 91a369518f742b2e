/// Reads the case number of an enum value through the type's value witnesses, which are part of Swift's ABI.
@usableFromInline
struct EnumTag<Value> {
  @usableFromInline typealias GetEnumTag = @convention(c) (UnsafeRawPointer, UnsafeRawPointer) -> UInt32

  @usableFromInline let type: UnsafeRawPointer
  @usableFromInline let getEnumTag: GetEnumTag

  /// Returns nil if the type is not an enum.
  @usableFromInline
  init?() {
    type = unsafeBitCast(Value.self as Any.Type, to: UnsafeRawPointer.self)
    let word = MemoryLayout<UnsafeRawPointer>.size
    // Enums and optionals, which have a kind of their own.
    guard [0x201, 0x202].contains(type.load(as: UInt.self)) else { return nil }
    let witnesses = type.load(fromByteOffset: -word, as: UnsafeRawPointer.self)
    // Eight functions, the size, the stride and two 32-bit words, followed by the witnesses that only enums have.
    let flags = witnesses.load(fromByteOffset: 10 * word, as: UInt32.self)
    guard flags & 0x20_0000 != 0 else { return nil }
    getEnumTag = witnesses.load(fromByteOffset: 10 * word + 8, as: GetEnumTag.self)
  }

  @inlinable
  func of(_ value: Value) -> Int {
    // Without the stack protector: nothing is written here.
    _withUnprotectedUnsafePointer(to: value) { Int(getEnumTag($0, type)) }
  }
}
