internal import GatewayTokens
internal import Glibc
internal import INIText
internal import ProgramOptions
internal import WebSocketServer

/// The configuration of a gateway: its defaults, then those of its file.
///
/// ```ini
/// [gateway]
/// hub = /run/storehub/hub.sock
/// origins = https://board.example.org
///
/// [tls]
/// certificate = /etc/storegate/certificate.pem
/// key = /etc/storegate/key.pem
/// ```
nonisolated struct GatewayConfiguration: Equatable, Sendable {
  /// The addresses to listen on, unless the service manager passes sockets.
  var listen = [ListenAddress.loopback]
  /// The path of the hub's socket.
  var hub = defaultSocketPath()
  /// The path of the file with the tokens.
  var tokens = defaultTokenFile()
  /// The origins of pages that may connect, such as `https://board.example.org`.
  var origins: Set<String> = []
  /// The certificate and its key; both or none.
  var certificate: String?
  var key: String?
  /// The directory whose files are served; nil for none.
  var root: String?
  var limits = WebSocketServer.Limits()
  /// The number of open connections.
  var connections = 1024
  /// The number of open connections from one address.
  var connectionsPerAddress = 64
  /// The number of WebSockets with one token.
  var connectionsPerToken = 32
  /// The number of wrong tokens from one address in a minute.
  var guessesPerMinute = 10

  /// The certificate and its key.
  var tls: WebSocketServer.TLS? {
    guard let certificate, let key else { return nil }
    return WebSocketServer.TLS(certificate: certificate, key: key)
  }

  /// Reads the file at a path. All problems are found at once.
  ///
  /// - Throws: The mistakes of the file, or the reason why it cannot be read.
  init(file path: String?, isOptional: Bool = false) throws(GatewayConfigurationError) {
    let text = try path.flatMap { (path) throws(GatewayConfigurationError) in try Self.contents(of: path) }
    if let path, text == nil, !isOptional {
      throw GatewayConfigurationError(["\(path): \(String(cString: strerror(ENOENT)))"])
    }
    try self.init(text: text ?? "", file: path ?? "")
  }

  /// Reads the text of a file.
  init(text: String, file: String) throws(GatewayConfigurationError) {
    var problems: [INIError] = []
    let ini = INIText(parsing: text, problems: &problems)
    for section in ini.sections where !section.name.isEmpty || !section.values.isEmpty {
      guard GatewaySetting.sections.contains(section.name) else {
        let names = GatewaySetting.sections.map { "[\($0)]" }.joined(separator: ", ")
        let line = section.lines.first ?? section.values.first?.line ?? 1
        problems.append(INIError(line: line, "there is no section [\(section.name)]; the sections are \(names)"))
        continue
      }
      for value in section.values {
        if let problem = take(section.name, value) { problems.append(INIError(line: value.line, problem)) }
      }
    }
    var texts = problems.sorted { $0.line < $1.line }.map { "\(file):\($0.line): \($0.reason)" }
    texts += contradictions.map { "\(file): \($0)" }
    if !texts.isEmpty { throw GatewayConfigurationError(texts) }
  }

  /// Takes one setting; returns its problem.
  private mutating func take(_ section: String, _ value: INIText.Value) -> String? {
    guard let setting = GatewaySetting.all.first(where: { $0.section == section && $0.name == value.key }) else {
      let names = GatewaySetting.all.filter { $0.section == section }.map(\.name).joined(separator: ", ")
      return "[\(section)] has no setting '\(value.key)', only \(names)"
    }
    return setting.set(&self, value.text) ? nil : "'\(value.key)' is '\(value.text)', but must be \(setting.form)"
  }

  /// Settings that do not fit each other.
  private var contradictions: [String] {
    var list: [String] = []
    if (certificate == nil) != (key == nil) { list.append("[tls] needs both 'certificate' and 'key'") }
    // Tokens and states would pass the network in plain text.
    for address in listen where !address.isLoopback && tls == nil {
      list.append("'listen' has \(address.text), which other machines can reach, so [tls] is needed")
    }
    return list
  }

  private static func contents(of path: String) throws(GatewayConfigurationError) -> String? {
    guard let file = fopen(path, "re") else {
      if errno == ENOENT { return nil }
      throw GatewayConfigurationError(["\(path): \(String(cString: strerror(errno)))"])
    }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 256 << 10)
    let count = fread(&bytes, 1, bytes.count, file)
    guard count < bytes.count, ferror(file) == 0, let text = String(validating: bytes[..<count], as: UTF8.self) else {
      throw GatewayConfigurationError(["\(path): it cannot be read, is larger than 256K or is not UTF-8"])
    }
    return text
  }

  /// The whole configuration as the text of a file.
  var text: String {
    GatewaySetting.sections.map { section in
      let settings = GatewaySetting.all.filter { $0.section == section }
      return (["[\(section)]"] + settings.compactMap { setting in setting.get(self).map { "\(setting.name) = \($0)" } })
        .joined(separator: "\n")
    }.joined(separator: "\n\n")
  }
}

/// The mistakes in a gateway's configuration.
nonisolated struct GatewayConfigurationError: Error, Equatable, CustomStringConvertible {
  /// The mistakes, each with its file and line.
  let problems: [String]

  init(_ problems: [String]) { self.problems = problems }

  var description: String { problems.joined(separator: "\n") }
}
