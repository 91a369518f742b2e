/// A type that determines the fields of its dump.
///
/// For example, a state that excludes a secret from dumps and failure messages:
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
  /// The fields in order. The `displayStyle` determines the form of the dump.
  var customDumpMirror: Mirror { get }
}

extension Mirror {
  /// The mirror that `customDump` uses: the type's ``CustomDumpReflectable/customDumpMirror`` if there is one.
  public init(customDumpReflecting subject: Any) {
    self = (subject as? any CustomDumpReflectable)?.customDumpMirror ?? Mirror(reflecting: subject)
  }
}
