/// A type that says which fields its dump has.
///
/// For example, a state that keeps a secret out of every dump and every failure message:
///
/// ```swift
/// extension Login: CustomDumpReflectable {
///   var customDumpMirror: Mirror {
///     Mirror(self, children: ["username": username], displayStyle: .struct)
///   }
/// }
///
/// customDump(login)  // Login(username: "blob")
/// ```
public protocol CustomDumpReflectable {
  /// The fields, in order, and with `displayStyle` the form that the dump takes.
  var customDumpMirror: Mirror { get }
}

extension Mirror {
  /// The mirror that `customDump` uses: the type's ``CustomDumpReflectable/customDumpMirror`` if there is one.
  public init(customDumpReflecting subject: Any) {
    self = (subject as? any CustomDumpReflectable)?.customDumpMirror ?? Mirror(reflecting: subject)
  }
}
