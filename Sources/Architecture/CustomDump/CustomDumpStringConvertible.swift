/// A type with a custom text as its dump.
///
/// Suitable for types whose fields say less than a line of text: dates, identifiers, addresses.
///
/// ```swift
/// extension Port: CustomDumpStringConvertible {
///   var customDumpDescription: String { "Port(\(number))" }
/// }
/// ```
public protocol CustomDumpStringConvertible {
  /// The text that `customDump` and `diff` print.
  var customDumpDescription: String { get }
}
