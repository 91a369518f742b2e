/// A type that dumps as another value.
///
/// Suitable for wrappers that should not appear in dumps:
///
/// ```swift
/// extension UserID: CustomDumpRepresentable {
///   var customDumpValue: Any { rawValue }
/// }
///
/// customDump(UserID(rawValue: "deadbeef"))  // "deadbeef"
/// ```
public protocol CustomDumpRepresentable {
  /// The value to dump instead.
  var customDumpValue: Any { get }
}
