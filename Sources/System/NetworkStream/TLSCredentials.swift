internal import COpenSSL

/// The files of an operator's TLS settings, in PEM.
package nonisolated struct TLSFiles: Hashable, Sendable {
  /// The certificates of the authorities that sign the peers'.
  package var authority: String
  /// The own certificate, followed by those between it and the authority; nil for a client without one.
  package var certificate: String?
  /// The key of the certificate, without a passphrase.
  package var key: String?

  /// Names the files.
  package init(authority: String, certificate: String? = nil, key: String? = nil) {
    (self.authority, self.certificate, self.key) = (authority, certificate, key)
  }
}

/// What a process needs to begin sessions of TLS, read from its files. Renewed files need a new object; sessions that
/// have begun keep the one that they began with.
package nonisolated final class TLSCredentials {
  /// The side of a connection.
  package enum Role: Sendable {
    /// Connects, and checks the name in the server's certificate.
    case client
    /// Accepts, and requires a certificate of the same authority from the client.
    case server
  }

  let context: OpaquePointer
  let role: Role
  /// The protocol that both sides must name, such as `h2`.
  let protocolName: String
  /// The protocol in the form of ALPN. OpenSSL keeps the pointer for a server.
  let offer: UnsafeMutableBufferPointer<UInt8>
  private let files: TLSFiles
  /// The end of the own certificate's validity in seconds since 1970; nil without a certificate.
  package let expiry: Int64?

  /// Reads the files.
  ///
  /// - Parameters:
  ///   - files: The files. A server needs a certificate.
  ///   - role: The side.
  ///   - protocolName: The name of the protocol in ALPN.
  /// - Throws: `file` or `keyDoesNotFit`.
  package init(_ files: TLSFiles, role: Role, protocolName: String) throws(TLSError) {
    guard let context = SSL_CTX_new(TLS_method()) else { preconditionFailure("no memory for TLS") }
    do throws(TLSError) {
      expiry = try Self.prepare(context, files, role)
    } catch {
      SSL_CTX_free(context)
      throw error
    }
    (self.context, self.role, self.protocolName, self.files) = (context, role, protocolName, files)
    offer = .allocate(capacity: protocolName.utf8.count + 1)
    _ = offer.initialize(from: [UInt8(protocolName.utf8.count)] + protocolName.utf8)
    if role == .server, let protocolName = offer.baseAddress { copenssl_serve_protocol(context, protocolName) }
  }

  deinit {
    SSL_CTX_free(context)
    offer.deallocate()
  }

  /// Sets a context up.
  /// - Returns: The end of the own certificate's validity.
  private static func prepare(
    _ context: OpaquePointer, _ files: TLSFiles, _ role: Role
  ) throws(TLSError) -> Int64? {
    ERR_clear_error()
    copenssl_refuse_encrypted_keys(context)
    copenssl_set_modes(context)
    guard copenssl_require_tls12(context) == 1 else { preconditionFailure("OpenSSL has TLS 1.2") }
    SSL_CTX_set_verify(
      context, role == .client ? SSL_VERIFY_PEER : SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    guard SSL_CTX_load_verify_locations(context, files.authority, nil) == 1 else {
      throw .file(files.authority, reason: "\(TLSError.lastReason().text); it must have certificates in PEM")
    }
    guard let certificate = files.certificate else {
      if let key = files.key { throw .file(key, reason: "there is a key without a certificate") }
      if role == .server { throw .file(files.authority, reason: "a server needs a certificate and a key, too") }
      return nil
    }
    guard let key = files.key else { throw .file(certificate, reason: "there is a certificate without a key") }
    return try use(certificate, key, in: context)
  }

  /// Checks that a server can begin with a certificate and a key, for a server of another library.
  ///
  /// - Returns: The end of the certificate's validity in seconds since 1970; nil if it cannot be read.
  /// - Throws: `file` or `keyDoesNotFit`.
  package static func check(certificate: String, key: String) throws(TLSError) -> Int64? {
    guard let context = SSL_CTX_new(TLS_method()) else { preconditionFailure("no memory for TLS") }
    defer { SSL_CTX_free(context) }
    ERR_clear_error()
    copenssl_refuse_encrypted_keys(context)
    return try use(certificate, key, in: context)
  }

  /// Gives a context its certificate.
  /// - Returns: The end of the certificate's validity.
  private static func use(
    _ certificate: String, _ key: String, in context: OpaquePointer
  ) throws(TLSError) -> Int64? {
    guard SSL_CTX_use_certificate_chain_file(context, certificate) == 1 else {
      throw .file(certificate, reason: "\(TLSError.lastReason().text); it must have a certificate in PEM")
    }
    guard SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1 else {
      let reason = TLSError.lastReason().text
      if reason == "key values mismatch" { throw .keyDoesNotFit(certificate: certificate, key: key) }
      throw .file(key, reason: "\(reason); it must have a key in PEM without a passphrase")
    }
    guard SSL_CTX_check_private_key(context) == 1 else {
      ERR_clear_error()
      throw .keyDoesNotFit(certificate: certificate, key: key)
    }
    guard let own = SSL_CTX_get0_certificate(context) else { return nil }
    let expiry = copenssl_not_after(own)
    return expiry < 0 ? nil : expiry
  }

  /// A warning if the own certificate is that of another node; nil otherwise.
  ///
  /// - Parameter node: The common name that it must have.
  package func nameWarning(of node: String) -> String? {
    guard let own = SSL_CTX_get0_certificate(context), let certificate = files.certificate else { return nil }
    let name = Self.commonName(of: own)
    guard name != node else { return nil }
    return """
      the certificate \(certificate) has the common name '\(name ?? "")', but this node is '\(node)': the other nodes \
      do not let it in
      """
  }

  /// The common name in a certificate; nil if it has none.
  static func commonName(of certificate: OpaquePointer) -> String? {
    var name = [CChar](repeating: 0, count: 256)
    let count = X509_NAME_get_text_by_NID(
      X509_get_subject_name(certificate), NID_commonName, &name, CInt(name.count))
    return count > 0 ? String(decoding: name.prefix(Int(count)).map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
  }

  /// A warning from 14 days before the own certificate expires; nil before that.
  ///
  /// - Parameter now: The time in seconds since 1970.
  package func expiryWarning(at now: Int64) -> String? {
    guard let expiry, let certificate = files.certificate else { return nil }
    let days = (expiry - now) / 86_400
    guard expiry - now < 14 * 86_400 else { return nil }
    return expiry <= now
      ? "the certificate \(certificate) has expired: renew it, and reload the hub"
      : "the certificate \(certificate) expires in \(days) days: renew it, and reload the hub"
  }
}
