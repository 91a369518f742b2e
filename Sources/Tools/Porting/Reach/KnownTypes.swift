/// What the tool knows of types that other modules declare.
enum KnownTypes {
  /// Types that are replicated, at least if their arguments are.
  static let replicated: Set<String> = [
    "AlertState", "Array", "BindingAction", "Bool", "ButtonState", "Character", "ClosedRange",
    "ConfirmationDialogState",
    "Data", "Date", "Decimal", "Dictionary", "Double", "Duration", "Float", "IdentifiedAction", "IdentifiedArray",
    "IdentifiedArrayOf", "Int", "Int128", "Int16", "Int32", "Int64", "Int8", "Never", "Optional", "PresentationAction",
    "PresentationState", "Range", "Result", "Schedule", "Set", "StackAction", "StackElementID", "StackState", "String",
    "Substring", "TaskResult", "TextState", "UInt", "UInt128", "UInt16", "UInt32", "UInt64", "UInt8", "URL", "UUID",
    "Unicode.Scalar",
  ]

  /// Types that are replicated by `import ReplicatedFoundation`.
  static let ofFoundation: Set<String> = ["IndexSet"]

  /// Advice for types that are not.
  static let advice: [String: String] = [
    "AnyHashable": "its type is known at run time only; use an enum of the types that occur",
    "AttributedString": "keep a 'String' in the state, and its style in the view",
    "CGFloat": "use 'Double'",
    "CGPoint": "use a struct of two 'Double's", "CGRect": "use a struct of 'Double's",
    "CGSize": "use a struct of two 'Double's",
    "Color": "a view's type; keep a value of your own, such as an enum of themes",
    "Error": "outside of a payload 'Result', an error of any type has no bytes; use 'ReplicatedError' or an enum",
    "FocusState": "focus belongs to one client; keep it there",
    "Image": "a view's type; keep its name or its data",
    "NavigationPath": "it erases the types of its elements; use 'StackState' of an enum reducer, in the client",
    "Shared": "a reference to a value of this process; send the id of the element",
    "SharedReader": "a reference to a value of this process; send the id of the element",
  ]
}
