/// What stands for a value where values are looked up.
enum ElementKey: Hashable {
  case value(AnyHashable)
  /// The dump of a value that has no hash of its own.
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

  /// The key under which an element is the same although its contents are others: its `id`, if it has one.
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
