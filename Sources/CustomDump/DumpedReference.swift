/// A shared reference that dumps as its value, behind a number that tells it from the others: `#1 42`.
///
/// While a change of it is under test it has two values: what the first of two values that are compared holds, and what
/// the second does.
package protocol DumpedReference {
  /// What is shared.
  var dumpedObject: AnyObject { get }
  /// The value before the change.
  var dumpedValueBefore: Any { get }
  /// The value now.
  var dumpedValue: Any { get }
}
