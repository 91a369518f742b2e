/// A type that dumps as a text of its own.
///
/// Right for types whose insides say less than one line does: dates, identifiers, addresses.
///
/// ```swift
/// extension Port: CustomDumpStringConvertible {
///   var customDumpDescription: String { "Port(\(number))" }
/// }
/// ```
public protocol CustomDumpStringConvertible {
  /// What `customDump` and `diff` print.
  var customDumpDescription: String { get }
}
