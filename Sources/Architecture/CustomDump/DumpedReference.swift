/// A shared reference that dumps as its value after an identifying number: `#1 42`.
///
/// While a change of it is under test, it has two values: one in the first of two compared values, and one in the
/// second.
package protocol DumpedReference {
  /// The shared object.
  var dumpedObject: AnyObject { get }
  /// The value before the change.
  var dumpedValueBefore: Any { get }
  /// The current value.
  var dumpedValue: Any { get }
}
