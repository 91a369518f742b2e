import Foundation
import NetworkStream
import Testing

/// Certificates that openssl(1) makes: an authority, a server's for this host, and a client's.
final class Certificates {
  nonisolated static let program = ["/usr/bin/openssl", "/usr/local/bin/openssl"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }
  nonisolated static var isInstalled: Bool { program != nil }
  nonisolated static let skipped: Comment = "skipped: openssl is not installed (Debian package openssl)"

  let directory: URL

  /// Makes an authority with the certificates `server` and `client`.
  init() throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try makeAuthority("ca")
    try make("server", names: "IP:127.0.0.1,DNS:localhost")
    try make("client", names: "DNS:node-a")
  }

  isolated deinit { try? FileManager.default.removeItem(at: directory) }

  func path(_ name: String) -> String { directory.appending(path: name).path }

  /// The files of a certificate.
  func files(_ name: String, authority: String = "ca") -> TLSFiles {
    TLSFiles(authority: path("\(authority).pem"), certificate: path("\(name).pem"), key: path("\(name).key"))
  }

  var client: TLSFiles { files("client") }

  var serverOptions: [String] {
    [
      "--cert-file", path("server.pem"), "--key-file", path("server.key"), "--trusted-ca-file", path("ca.pem"),
      "--client-cert-auth",
    ]
  }

  func makeAuthority(_ name: String) throws {
    try openssl(
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30", "-subj",
      "/CN=\(name)", "-keyout", path("\(name).key"), "-out", path("\(name).pem"))
  }

  /// Makes a certificate.
  ///
  /// - Parameters:
  ///   - name: The name of the files.
  ///   - names: The subject's alternative names.
  ///   - subject: The subject; nil for one with the name as its common name.
  ///   - authority: The authority.
  ///   - days: The validity; a negative number for one that has expired.
  func make(
    _ name: String, names: String, subject: String? = nil, authority: String = "ca", days: Int = 30
  ) throws {
    try openssl(
      "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
      subject ?? "/CN=\(name)", "-keyout", path("\(name).key"), "-out", path("\(name).csr"))
    try "subjectAltName=\(names)\n".write(toFile: path("\(name).ext"), atomically: true, encoding: .utf8)
    try openssl(
      "x509", "-req", "-in", path("\(name).csr"), "-CA", path("\(authority).pem"), "-CAkey",
      path("\(authority).key"), "-CAcreateserial", "-days", "\(days)", "-extfile", path("\(name).ext"), "-out",
      path("\(name).pem"))
  }

  func openssl(_ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(Self.program))
    process.arguments = arguments
    let errors = Pipe()
    (process.standardOutput, process.standardError) = (FileHandle.nullDevice, errors)
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "openssl \(arguments): \(text)")
  }
}
