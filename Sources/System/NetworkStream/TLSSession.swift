internal import COpenSSL

/// One side of a TLS connection, without I/O: OpenSSL reads from memory and writes to memory.
///
/// The owner passes in what the socket receives, and writes `takeOutput` to it after each call.
package nonisolated final class TLSSession {
  private let session: OpaquePointer
  /// Both belong to the session.
  private let (input, output): (OpaquePointer, OpaquePointer)
  private let credentials: TLSCredentials
  /// The peer, as errors name it.
  private let peer: String
  /// True when both sides have proved themselves, as far as this one knows: a client of TLS 1.3 learns only from the
  /// first bytes that the server has accepted its certificate.
  package private(set) var isReady = false
  /// True when the peer has ended its direction.
  package private(set) var hasEnded = false

  /// Begins a session.
  ///
  /// - Parameters:
  ///   - credentials: The files and the role.
  ///   - host: For a client, the server's name or address, which its certificate must have. For a server, a name of the
  ///     client for errors.
  package init(_ credentials: TLSCredentials, host: String) {
    guard let session = SSL_new(credentials.context), let input = copenssl_memory(), let output = copenssl_memory()
    else { preconditionFailure("no memory for TLS") }
    (self.session, self.input, self.output, self.credentials, peer) = (session, input, output, credentials, host)
    SSL_set_bio(session, input, output)
    switch credentials.role {
    case .server: SSL_set_accept_state(session)
    case .client:
      SSL_set_connect_state(session)
      SSL_set_alpn_protos(session, credentials.offer.baseAddress, UInt32(credentials.offer.count))
      // An address is compared with the addresses in the certificate, and is no name for SNI.
      if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host) != 1 {
        precondition(SSL_set1_host(session, host) == 1, "no memory for TLS")
        _ = copenssl_set_server_name(session, host)
      }
    }
  }

  deinit { SSL_free(session) }

  /// Begins or continues the handshake; a client calls it first to send its hello.
  package func shakeHands() throws(TLSError) {
    guard !isReady else { return }
    ERR_clear_error()
    let result = SSL_do_handshake(session)
    guard result == 1 else { return try check(result) }
    try checkProtocol()
    isReady = true
  }

  /// Takes bytes of the socket, continues the handshake, and passes on the decrypted bytes in pieces.
  package func receive(_ bytes: RawSpan, onBytes: (RawSpan) -> Void) throws(TLSError) {
    let isTaken = bytes.withUnsafeBytes { bytes in
      bytes.isEmpty || BIO_write(input, bytes.baseAddress, CInt(bytes.count)) == CInt(bytes.count)
    }
    precondition(isTaken, "memory takes all bytes")
    try shakeHands()
    guard isReady else { return }
    try withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 16) { buffer throws(TLSError) in
      while !hasEnded {
        ERR_clear_error()
        let count = SSL_read(session, buffer.baseAddress, CInt(buffer.count))
        guard count > 0 else { return try check(count) }
        onBytes(UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)]).bytes)
      }
    }
  }

  /// Encrypts bytes.
  /// - Precondition: `isReady`.
  package func send(_ bytes: RawSpan) throws(TLSError) {
    precondition(isReady, "bytes are sent after the handshake")
    var sent = 0
    while sent < bytes.byteCount {
      ERR_clear_error()
      let count = bytes.extracting(sent...).withUnsafeBytes {
        SSL_write(session, $0.baseAddress, CInt(clamping: $0.count))
      }
      guard count > 0 else {
        try check(count)
        throw .violation(peer: peer, reason: "it has ended the connection")
      }
      sent += Int(count)
    }
  }

  /// Tells the peer that nothing follows, if the handshake has ended.
  package func end() {
    guard isReady else { return }
    ERR_clear_error()
    SSL_shutdown(session)
    ERR_clear_error()
  }

  /// Passes on the encrypted bytes for the socket, in one piece.
  package func takeOutput(_ body: (RawSpan) -> Void) {
    let count = copenssl_pending(output)
    guard count > 0 else { return }
    withUnsafeTemporaryAllocation(byteCount: count, alignment: 16) { buffer in
      let read = BIO_read(output, buffer.baseAddress, CInt(count))
      if read > 0 { body(UnsafeRawBufferPointer(rebasing: buffer[..<Int(read)]).bytes) }
    }
  }

  /// The common name in the peer's certificate; nil before the handshake has ended, or if it has none.
  package var peerName: String? {
    SSL_get0_peer_certificate(session).flatMap(TLSCredentials.commonName)
  }

  private func checkProtocol() throws(TLSError) {
    var chosen: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(session, &chosen, &count)
    guard UnsafeBufferPointer(start: chosen, count: Int(count)).elementsEqual(credentials.protocolName.utf8) else {
      throw .otherProtocol(peer: peer, expected: credentials.protocolName)
    }
  }

  /// Returns if the session waits for bytes or has ended well.
  private func check(_ result: CInt) throws(TLSError) {
    switch SSL_get_error(session, result) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return
    case SSL_ERROR_ZERO_RETURN: hasEnded = true
    default:
      let (code, reason) = TLSError.lastReason()
      if copenssl_error_is_verification(code) != 0 {
        throw .verification(SSL_get_verify_result(session), peer: peer)
      }
      if reason == "peer did not return a certificate" { throw .noCertificate(peer: peer) }
      // Reasons from 1000 on are alerts of the peer.
      if code & 0x7f_ffff >= 1000, code & 0x7f_ffff < 1256 { throw .refusedByPeer(peer: peer, reason: reason) }
      throw .violation(peer: peer, reason: reason)
    }
  }
}
