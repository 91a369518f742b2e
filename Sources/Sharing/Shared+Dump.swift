internal import CustomDump

// In a dump a share is its value behind its number: `_count: #1 42`. In a comparison that a `SharedChangeTracker`
// asserts, it is the value before the recorded changes on the one side and the value now on the other.

extension Shared: DumpedReference {
  package var dumpedObject: AnyObject { location.root }
  package var dumpedValueBefore: Any { location.read() }
  package var dumpedValue: Any { location.readCurrent() }
}

extension SharedReader: DumpedReference {
  package var dumpedObject: AnyObject { location.root }
  package var dumpedValueBefore: Any { location.read() }
  package var dumpedValue: Any { location.readCurrent() }
}
