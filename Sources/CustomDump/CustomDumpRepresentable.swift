/// A type that dumps as another value.
///
/// Right for wrappers that should not show:
///
/// ```swift
/// extension UserID: CustomDumpRepresentable {
///   var customDumpValue: Any { rawValue }
/// }
///
/// customDump(UserID(rawValue: "deadbeef"))  // "deadbeef"
/// ```
public protocol CustomDumpRepresentable {
  /// The value that is dumped instead.
  var customDumpValue: Any { get }
}
