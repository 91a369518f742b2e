/// A hashable key for looking up a value.
enum ElementKey: Hashable {
  case value(AnyHashable)
  /// The dump of a value that is not hashable.
  case text(String)

  init(_ value: Any, _ dumper: inout Dumper) {
    if let value = value as? any Hashable {
      self = .value(AnyHashable(value))
    } else if Mirror(reflecting: value).displayStyle == .class {
      self = .value(ObjectIdentifier(value as AnyObject))
    } else {
      self = .text(dumper.dump(ofKey: Child(value: value)))
    }
  }

  /// The key that identifies an element regardless of its contents: its `id`, if it has one.
  init(identity value: Any, _ dumper: inout Dumper) {
    if let value = value as? any Identifiable {
      self = .value(value.anyID)
    } else {
      self.init(value, &dumper)
    }
  }
}

extension Identifiable {
  var anyID: AnyHashable { AnyHashable(id) }
}
