public import Wire

/// The value of a window of a collection (`Wire.Window`) in a mirror of a tool, which reads it by its schema.
///
/// It is what a table shows of a large collection: the number of rows, and those of some positions.
///
/// ```swift
/// let mirror = ValueMirror()
/// replica.subscribe(mirror, to: path + [.window(start: 0, count: 50)])
/// // When its change was reported:
/// if let window = mirror.window { for position in window.positions { draw(window[position]) } }
/// // When the user scrolls:
/// replica.move(mirror, to: path + [.window(start: 50, count: 50)])
/// ```
public struct ValueWindow {
  /// The number of elements of the whole collection.
  public let count: Int
  /// The positions in the collection of the elements that are here.
  public let positions: Range<Int>
  /// The type of the collection, and the schema to which it belongs.
  public let type: (schema: Schema, collection: SchemaType)
  /// The elements in the window, as a value of the collection's type.
  package let elements: CBORValue

  fileprivate init?(_ value: CBORValue, _ type: (schema: Schema, type: SchemaType)) {
    guard case .definition(let index) = type.type, case .fields(let fields) = type.schema.definitions[index].content,
      fields.count == 3, case .map(let pairs) = value, pairs.count == 3, case .unsigned(let count) = pairs[0].value,
      case .unsigned(let start) = pairs[1].value, let count = Int(exactly: count), let start = Int(exactly: start)
    else { return nil }
    elements = pairs[2].value
    self.type = (type.schema, fields[2].type)
    self.count = count
    let length =
      switch elements {
      case .elements(let items): items.count
      case .array(let items): items.count
      default: 0
      }
    let (end, overflows) = start.addingReportingOverflow(length)
    guard !overflows, end <= count else { return nil }
    positions = start..<end
  }

  /// The element at a position in the collection; nil if it is outside of the window. One of a stack is `[id, element]`.
  /// - Complexity: O(log n) for n elements in the window.
  public subscript(position: Int) -> CBORValue? {
    guard positions.contains(position) else { return nil }
    return switch elements {
    case .elements(let items): items[position - positions.lowerBound]
    case .array(let items): items[position - positions.lowerBound]
    default: nil
    }
  }
}

extension ValueMirror {
  /// The value as a window; nil if it is not known, absent, or not that of a window.
  public var window: ValueWindow? {
    guard let value, let type, isWindow else { return nil }
    return ValueWindow(value, type)
  }
}
