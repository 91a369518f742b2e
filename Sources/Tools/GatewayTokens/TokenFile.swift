internal import Glibc
internal import INIText

/// Why a file of tokens cannot be used.
package struct TokenFileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file, the problem and the remedy.
  package let description: String

  /// Creates an error about a file.
  package init(_ path: String, _ problem: String) { description = "\(path): \(problem)" }
}

/// The file with the tokens of a gateway, which only its user can read.
///
/// ```ini
/// [token board]
/// digest = 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
/// user = 3000000001
/// created = 2026-11-27T06:00:00Z
/// expires = 2027-02-25T06:00:00Z
/// ```
package struct TokenFile: Sendable {
  /// The path.
  package let path: String

  /// Names the file.
  package init(_ path: String) { self.path = path }

  /// The directory of the file.
  package var directory: String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static let sizeLimit = 4 << 20

  /// Reads the tokens; none if there is no file.
  ///
  /// - Throws: The first problem: the file cannot be read, other users could read it, or a line is wrong.
  package func read() throws(TokenFileError) -> GatewayTokens {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return GatewayTokens() }
      throw failure("cannot be opened")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.sizeLimit else {
      throw TokenFileError(path, "is not a file of at most 4 MiB")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw TokenFileError(path, "other users could read or change it: `chmod 600` makes it the gateway's own")
    }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var count = 0
    while count < bytes.count {
      let result = bytes[count...].withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      guard result > 0 else { throw failure("cannot be read") }
      count += result
    }
    return try parsed(String(decoding: bytes, as: UTF8.self))
  }

  /// Changes the tokens. A reader sees the old or the new ones, and no two changes happen at the same time.
  ///
  /// The file belongs to the user that it belonged to before; a new one, to the owner of the directory.
  /// - Throws: The error of `body`, or the reason why the file cannot be read or written.
  package func update(_ body: (inout GatewayTokens) throws(TokenFileError) -> Void) throws(TokenFileError) {
    let lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard lock >= 0 else { throw TokenFileError(directory, "\(reason()); create it, for the gateway's user only") }
    defer { close(lock) }
    guard flock(lock, LOCK_EX) == 0 else { throw failure("cannot be locked") }
    var tokens = try read()
    try body(&tokens)
    var owner = stat()
    guard stat(path, &owner) == 0 || fstat(lock, &owner) == 0 else { throw failure("has no owner") }
    try write(text(of: tokens), owner: owner)
    fsync(lock)
  }

  private func write(_ text: String, owner: stat) throws(TokenFileError) {
    let temporary = "\(path).\(getpid()).new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("cannot be written") }
    let bytes = Array(text.utf8)
    var isWritten = owner.st_uid == geteuid() || fchown(descriptor, owner.st_uid, owner.st_gid) == 0
    var count = 0
    while isWritten, count < bytes.count {
      let result = bytes[count...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      (isWritten, count) = (result > 0, count + max(result, 0))
    }
    isWritten = isWritten && fsync(descriptor) == 0
    close(descriptor)
    guard isWritten, rename(temporary, path) == 0 else {
      let error = failure("cannot be written")
      unlink(temporary)
      throw error
    }
  }

  private func reason() -> String { String(cString: strerror(errno)) }

  private func failure(_ problem: String) -> TokenFileError { TokenFileError(path, "\(problem): \(reason())") }

  // MARK: Text

  private func text(of tokens: GatewayTokens) -> String {
    var lines = ["; The tokens of storegate, which `storectl token` writes."]
    for token in tokens.all {
      lines += [
        "", "[token \(token.name)]", "digest = \(Self.hexadecimal(token.digest))", "user = \(token.user)",
        "created = \(timeText(token.created))",
      ]
      if let expiry = token.expiry { lines.append("expires = \(timeText(expiry))") }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func parsed(_ text: String) throws(TokenFileError) -> GatewayTokens {
    var tokens = GatewayTokens()
    let ini: INIText
    do throws(INIError) { ini = try INIText(parsing: text) } catch { throw TokenFileError(path, "\(error)") }
    for section in ini.sections where !section.name.isEmpty || !section.values.isEmpty {
      let line = section.lines.first ?? section.values.first?.line ?? 1
      guard let token = Self.token(section), tokens.add(token) else {
        throw TokenFileError(path, "line \(line): [\(section.name)] is no token; `storectl token` writes this file")
      }
    }
    return tokens
  }

  private static func token(_ section: INIText.Section) -> GatewayToken? {
    let words = section.name.split(separator: " ")
    guard words.count == 2, words[0] == "token", GatewayToken.isName(String(words[1])),
      let digest = section["digest"].flatMap(bytes), digest.count == 32,
      let user = section["user"].flatMap({ UInt32($0) }), let created = section["created"].flatMap(parsedTime)
    else { return nil }
    let expiry = section["expires"].map(parsedTime)
    // A time that cannot be read must not mean that there is none.
    if case .some(.none) = expiry { return nil }
    return GatewayToken(name: String(words[1]), digest: digest, user: user, created: created, expiry: expiry ?? nil)
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  private static func bytes(_ text: String) -> [UInt8]? {
    let digits = text.utf8.map { UInt8(String(UnicodeScalar($0)), radix: 16) }
    guard digits.count % 2 == 0, !digits.contains(nil) else { return nil }
    let values = digits.compactMap(\.self)
    return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }
}

/// A time in seconds since 1970, as `2026-11-27T06:00:00Z`.
package func timeText(_ time: Int64) -> String {
  var (seconds, parts) = (time_t(time), tm())
  gmtime_r(&seconds, &parts)
  var text = [CChar](repeating: 0, count: 32)
  let count = strftime(&text, text.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
  return String(decoding: text[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// Reads a time such as `2026-11-27T06:00:00Z`, or the beginning of a day such as `2026-11-27`, in UTC; nil for other
/// texts and times before 1970.
package func parsedTime(_ text: String) -> Int64? {
  let whole = text.utf8.count == 10 ? text + "T00:00:00Z" : text
  let numbers = whole.split { !$0.isNumber }.compactMap { CInt($0) }
  guard numbers.count == 6, numbers[0] >= 1970 else { return nil }
  var parts = tm()
  (parts.tm_year, parts.tm_mon, parts.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
  (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[3], numbers[4], numbers[5])
  let seconds = Int64(timegm(&parts))
  // timegm(3) takes the 31st of February for a day in March.
  return timeText(seconds) == whole ? seconds : nil
}

/// The default path of the tokens: `$STOREGATE_TOKENS`; for root `/var/lib/storegate/tokens`; for other users
/// `storegate/tokens` in `$XDG_STATE_HOME`, or in `.local/state` of the home directory.
package func defaultTokenFile() -> String {
  func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
  if let path = variable("STOREGATE_TOKENS") { return path }
  guard geteuid() != 0 else { return "/var/lib/storegate/tokens" }
  return (variable("XDG_STATE_HOME") ?? (variable("HOME") ?? "") + "/.local/state") + "/storegate/tokens"
}
