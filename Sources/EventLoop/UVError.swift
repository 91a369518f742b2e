internal import CUV

/// A libuv call that failed: what was tried, on what, and libuv's name and words for why.
///
/// Source: libuv's "Error handling" page; the codes are negated errno(3) values and a few of its own.
public nonisolated struct UVError: Error, Equatable, Sendable {
  /// What was tried, as in `bind a socket`.
  public let operation: String
  /// What it was tried on, such as a path; empty when there is nothing to name.
  public let subject: String
  /// libuv's code, below zero.
  public let code: CInt

  /// Creates an error.
  public init(operation: String, subject: String = "", code: CInt) {
    self.operation = operation
    self.subject = subject
    self.code = code
  }

  /// libuv's name for the code, such as `ENOENT`.
  public var name: String { String(cString: uv_err_name(code)) }

  /// libuv's words for the code, such as `no such file or directory`.
  public var message: String { String(cString: uv_strerror(code)) }
}

nonisolated extension UVError: CustomStringConvertible {
  /// One sentence, such as `cannot bind a socket to /run/hub.sock: permission denied (EACCES)`.
  public var description: String {
    let subject = subject.isEmpty ? "" : " \(subject)"
    return
      "cannot \(operation)\(subject): \(String(cString: uv_strerror(code))) (\(String(cString: uv_err_name(code))))"
  }
}

nonisolated extension UVError {
  /// What a person can do about a failed attempt to connect, as a sentence; empty when there is nothing to say.
  package var connectionAdvice: String {
    switch code {
    case Code.noSuchFile, Code.connectionRefused: "Is a hub running there?"
    case Code.permissionDenied: "The socket is for another user or group."
    case Code.nameTooLong: "Choose a shorter path."
    default: ""
    }
  }

  /// The codes that callers tell apart.
  public enum Code {
    /// The corresponding code is `EOF`, libuv's own.
    public static let endOfFile = UV_EOF.rawValue
    /// `ENOENT`: no such file or directory.
    public static let noSuchFile = UV_ENOENT.rawValue
    /// `ECONNREFUSED`: a socket file that nobody listens on.
    public static let connectionRefused = UV_ECONNREFUSED.rawValue
    /// `EACCES`: permission denied.
    public static let permissionDenied = UV_EACCES.rawValue
    /// `EADDRINUSE`: the path exists already.
    public static let addressInUse = UV_EADDRINUSE.rawValue
    /// `ENOTSOCK`: the path is not a socket.
    public static let notASocket = UV_ENOTSOCK.rawValue
    /// `ENAMETOOLONG`: the path does not fit a socket address.
    public static let nameTooLong = UV_ENAMETOOLONG.rawValue
    /// `EINVAL`: such a value is not allowed.
    public static let invalid = UV_EINVAL.rawValue
    /// `EMFILE`: the process has no descriptors left.
    public static let tooManyOpenFiles = UV_EMFILE.rawValue
    /// `ECANCELED`: the handle was closed meanwhile.
    public static let cancelled = UV_ECANCELED.rawValue
    /// `EAGAIN`: try again later.
    public static let wouldBlock = UV_EAGAIN.rawValue
  }
}

/// The one place where libuv's results become errors.
@discardableResult
func check(_ code: CInt, _ operation: String, _ subject: String = "") throws(UVError) -> CInt {
  guard code >= 0 else { throw UVError(operation: operation, subject: subject, code: code) }
  return code
}
