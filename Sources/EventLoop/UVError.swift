internal import CUV
internal import Glibc

/// A failed libuv call: the operation, its subject, and libuv's name and message for the cause.
///
/// Source: libuv's "Error handling" page. The codes are negated errno(3) values, and a few of libuv's own.
public nonisolated struct UVError: Error, Equatable, Sendable {
  /// The operation, such as `bind a socket`.
  public let operation: String
  /// The subject of the operation, such as a path; empty if there is none.
  public let subject: String
  /// libuv's code, which is negative.
  public let code: CInt

  /// Creates an error.
  public init(operation: String, subject: String = "", code: CInt) {
    self.operation = operation
    self.subject = subject
    self.code = code
  }

  /// libuv's name for the code, such as `ENOENT`.
  public var name: String { unsafe String(cString: uv_err_name(code)) }

  /// libuv's message for the code, such as `no such file or directory`.
  public var message: String { unsafe String(cString: uv_strerror(code)) }
}

nonisolated extension UVError: CustomStringConvertible {
  /// One sentence, such as `cannot bind a socket to /run/hub.sock: permission denied (EACCES)`.
  public var description: String {
    let subject = subject.isEmpty ? "" : " \(subject)"
    return
      unsafe "cannot \(operation)\(subject): \(String(cString: uv_strerror(code))) (\(String(cString: uv_err_name(code))))"
  }
}

nonisolated extension UVError {
  /// Advice for a failed attempt to connect, as a sentence; empty if there is none.
  package var connectionAdvice: String {
    switch code {
    case Code.connectionRefused where isOtherFile: "It is not a socket."
    case Code.noSuchFile, Code.connectionRefused: "Is a hub running there?"
    case Code.permissionDenied: "The socket is for another user or group."
    case Code.nameTooLong: "Choose a shorter path."
    default: ""
    }
  }

  /// True if the subject is the path of something that is no socket, which connect(2) refuses like one without a listener.
  private var isOtherFile: Bool {
    var status = stat()
    return unsafe stat(subject, &status) == 0 && status.st_mode & S_IFMT != S_IFSOCK
  }

  /// True if no hub listens on the socket, so that a later attempt may succeed.
  package var isHubMissing: Bool { [Code.noSuchFile, Code.connectionRefused].contains(code) }

  /// The codes that callers distinguish.
  public enum Code {
    /// The corresponding code is `EOF`, libuv's own.
    public static let endOfFile = UV_EOF.rawValue
    /// `ENOENT`: no such file or directory.
    public static let noSuchFile = UV_ENOENT.rawValue
    /// `ECONNREFUSED`: the socket has no listener.
    public static let connectionRefused = UV_ECONNREFUSED.rawValue
    /// `ECONNRESET`: the peer has closed the connection without reading everything.
    public static let connectionReset = UV_ECONNRESET.rawValue
    /// `EACCES`: permission denied.
    public static let permissionDenied = UV_EACCES.rawValue
    /// `EADDRINUSE`: the path exists already.
    public static let addressInUse = UV_EADDRINUSE.rawValue
    /// `ENOTSOCK`: the path is not a socket.
    public static let notASocket = UV_ENOTSOCK.rawValue
    /// `ENAMETOOLONG`: the path does not fit a socket address.
    public static let nameTooLong = UV_ENAMETOOLONG.rawValue
    /// `EINVAL`: the value is not allowed.
    public static let invalid = UV_EINVAL.rawValue
    /// `EMFILE`: the process has no descriptors left.
    public static let tooManyOpenFiles = UV_EMFILE.rawValue
    /// `ECANCELED`: the handle was closed meanwhile.
    public static let cancelled = UV_ECANCELED.rawValue
    /// `EAGAIN`: try again later.
    public static let wouldBlock = UV_EAGAIN.rawValue
  }
}

/// The single place that turns libuv's results into errors.
@discardableResult
func check(_ code: CInt, _ operation: String, _ subject: String = "") throws(UVError) -> CInt {
  guard code >= 0 else { throw UVError(operation: operation, subject: subject, code: code) }
  return code
}
