internal import CustomDump

// A dump shows a share as its number and its value: `_count: #1 42`. In a comparison that a `SharedChangeTracker`
// asserts, one side is the value before the recorded changes, and the other the current value.

extension Shared: DumpedReference {
  package var dumpedObject: AnyObject { location.root }
  package var dumpedValueBefore: Any { location.read() }
  package var dumpedValue: Any { location.readCurrent() }
}

extension SharedReader: DumpedReference {
  package var dumpedObject: AnyObject { location.root }
  package var dumpedValueBefore: Any { location.readCurrent() }
  package var dumpedValue: Any { location.readCurrent() }
}
