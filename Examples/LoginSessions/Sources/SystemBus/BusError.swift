internal import Glibc

/// The reason why the message bus, or a service on it, cannot be used.
public enum BusError: Error, Equatable, CustomStringConvertible {
  /// There is no bus, or the connection to it was lost.
  case noBus(reason: String)
  /// The service does not exist, or rejected a call.
  case refused(service: String, reason: String)

  public var description: String {
    switch self {
    case .noBus(let reason): "there is no message bus: \(reason)"
    case .refused(let service, let reason): "\(service) does not answer: \(reason)"
    }
  }

  /// The description of an error number of sd-bus, which is negative.
  static func words(for code: CInt) -> String { String(cString: strerror(-code)) }
}
