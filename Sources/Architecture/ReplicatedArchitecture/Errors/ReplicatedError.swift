public import FoundationEssentials
internal import Glibc
public import Wire

/// What is known of any error in another process: its domain, its code and its text.
///
/// A `Result<Value, any Error>` in a `@Replicated` action is sent with its failure in this form, so that
///
/// ```swift
/// case factResponse(Result<String, any Error>)
/// ```
///
/// needs no other type. A reducer in a hub gets the errors of its own effects as they are, and those of clients as
/// `ReplicatedError`. To treat both alike, convert the error first, which changes no error that was converted already:
///
/// ```swift
/// case .factResponse(.failure(let error)):
///   state.message = ReplicatedError(error).text
/// ```
///
/// As a type of its own it makes actions equatable: `case factResponse(Result<String, ReplicatedError>)`, sent with
/// `result.mapError(ReplicatedError.init)`.
@Replicated
public struct ReplicatedError: Error, Hashable, Sendable {
  /// The largest number of UTF-8 bytes of a text that is made from an error.
  public static let textLimit = 4096
  /// The largest number of UTF-8 bytes of a domain that is made from an error.
  public static let domainLimit = 256

  /// The name of the error's type with its module, such as `Shop.SearchError`; the domain of an `NSError`,
  /// `NSCocoaErrorDomain` or `NSPOSIXErrorDomain`.
  public private(set) var domain: String
  /// The code within the domain. For an enum, it is the number that the compiler gives the case.
  public private(set) var code: Int
  /// The error's `errorDescription` if it is a `LocalizedError`, and its description otherwise.
  public private(set) var text: String

  /// Creates an error. A domain or a text that is longer than its limit is cut, and ends in "…".
  public init(domain: String, code: Int, text: String) {
    self.domain = domain.cut(to: Self.domainLimit)
    self.code = code
    self.text = text.cut(to: Self.textLimit)
  }

  /// Keeps of an error what can be sent. A `ReplicatedError` stays the same.
  public init(_ error: any Error) {
    if let error = error as? ReplicatedError {
      self = error
      return
    }
    var (domain, code) = (error._domain, error._code)
    // By its own type: an `NSError` of any domain can be cast to either of the two.
    let type = type(of: error)
    if type == CocoaError.self, let error = error as? CocoaError {
      (domain, code) = ("NSCocoaErrorDomain", error.code.rawValue)
    } else if type == POSIXError.self, let error = error as? POSIXError {
      (domain, code) = ("NSPOSIXErrorDomain", Int(error.code.rawValue))
    }
    self.init(
      domain: domain, code: code,
      text: (error as? any LocalizedError)?.errorDescription ?? String(describing: error))
  }
}

extension ReplicatedError: LocalizedError {
  /// The text.
  public var errorDescription: String? { text }
}

extension ReplicatedError: CustomStringConvertible {
  /// The text.
  public var description: String { text }
}

extension String {
  /// The text, or as many of its scalars as leave room for "…" within a number of bytes.
  fileprivate func cut(to limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var end = utf8.index(startIndex, offsetBy: limit - "…".utf8.count)
    while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
    return String(unicodeScalars[..<end]) + "…"
  }
}
