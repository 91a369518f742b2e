internal import COpenSSL
internal import Glibc

/// A failure of TLS: what happened, and what the operator can do.
package nonisolated enum TLSError: Error, Hashable, Sendable {
  /// A file cannot be used, with the reason.
  case file(String, reason: String)
  /// The key does not belong to the certificate.
  case keyDoesNotFit(certificate: String, key: String)
  /// The peer's certificate has expired, or is not valid yet.
  case outsideOfValidity(peer: String, reason: String)
  /// The peer's certificate is that of another host.
  case otherHost(peer: String)
  /// The peer's certificate is not signed by the authority.
  case untrusted(peer: String, reason: String)
  /// The peer has not sent a certificate.
  case noCertificate(peer: String)
  /// The peer refuses this side's certificate, or has none of the versions.
  case refusedByPeer(peer: String, reason: String)
  /// The peer does not speak the protocol, as far as ALPN tells.
  case otherProtocol(peer: String, expected: String)
  /// The peer does not speak TLS, or violates it.
  case violation(peer: String, reason: String)
}

nonisolated extension TLSError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .file(let path, let reason): "\(path) cannot be used for TLS: \(reason)"
    case .keyDoesNotFit(let certificate, let key):
      "the key \(key) does not belong to the certificate \(certificate): renew both together"
    case .outsideOfValidity(let peer, let reason):
      "the certificate of \(peer) is not valid (\(reason)): renew it, or check both clocks"
    case .otherHost(let peer):
      "the certificate is not that of \(peer): its names must have the host of the endpoint"
    case .untrusted(let peer, let reason):
      "the certificate of \(peer) is not trusted (\(reason)): check the setting ca"
    case .noCertificate(let peer): "\(peer) has sent no certificate: check cert and key there"
    case .refusedByPeer(let peer, let reason):
      "\(peer) refuses the connection (\(reason)): check cert and key here, and the authority there"
    case .otherProtocol(let peer, let expected): "\(peer) does not speak \(expected)"
    case .violation(let peer, let reason): "\(peer) does not speak TLS correctly (\(reason))"
    }
  }
}

nonisolated extension TLSError {
  /// The oldest error of OpenSSL on this thread; the others are removed.
  static func lastReason() -> (code: UInt, text: String) {
    let code = ERR_get_error()
    ERR_clear_error()
    guard code != 0 else { return (0, "the connection has ended") }
    // OpenSSL passes the errors of the system on with a flag.
    if code & 1 << 31 != 0 { return (code, String(cString: strerror(CInt(code & (1 << 31 - 1))))) }
    return (code, ERR_reason_error_string(code).map { String(cString: $0) } ?? "OpenSSL error \(code)")
  }

  /// The error of a certificate that was not accepted.
  static func verification(_ result: Int, peer: String) -> TLSError {
    let reason = X509_verify_cert_error_string(result).map { String(cString: $0) } ?? "error \(result)"
    switch CInt(result) {
    case X509_V_ERR_CERT_HAS_EXPIRED, X509_V_ERR_CERT_NOT_YET_VALID:
      return .outsideOfValidity(peer: peer, reason: reason)
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: return .otherHost(peer: peer)
    default: return .untrusted(peer: peer, reason: reason)
    }
  }
}
