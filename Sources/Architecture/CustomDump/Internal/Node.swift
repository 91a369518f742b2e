/// A part of a value, with its label and mark.
struct Child {
  var label: Label
  /// The text between the label and the value: a reference's number.
  var mark: String
  var value: Any

  init(label: Label = .none, mark: String = "", value: Any) {
    (self.label, self.mark, self.value) = (label, mark, value)
  }
}

enum Label {
  case none
  case name(String)
  case index(Int)
  /// A dictionary's key, which is dumped only when it is printed.
  case key(Any)

  var isNone: Bool {
    if case .none = self { true } else { false }
  }
}

/// One level of a value in print.
enum Node {
  /// A complete text.
  case leaf(String)
  /// A string, which is quoted, and compared line by line if it has several lines.
  case string(String)
  case group(Group)
}

struct Group {
  /// The matching of the children of two groups.
  enum Style {
    /// By position: fields.
    case fields
    /// By an edit script: arrays.
    case sequence
    /// By key, in the order of the value.
    case keyed
    /// By key, in the order of the keys' dumps.
    case unorderedKeyed
    /// By membership, in the order of the elements' dumps.
    case set
  }

  var style: Style
  var prefix: String
  var suffix: String
  var children: [Child]
  /// The number of fields that are not shown.
  var hiddenCount = 0
  /// The value itself if it is a reference.
  var object: AnyObject?

  /// The text between the brackets if there are no children.
  var emptyMark: String { style == .keyed || style == .unorderedKeyed ? ":" : "" }
}
