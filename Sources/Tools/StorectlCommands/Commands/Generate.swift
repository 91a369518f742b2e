internal import Glibc
internal import JSONParser
internal import JSONText
internal import Journal
internal import ProgramOptions
internal import SchemaGenerator
internal import TurnLog
internal import Wire

extension ProgramOptions.Command {
  nonisolated static let generate = Self(
    "generate", "write the types of the state and of the actions in another language",
    arguments: [.init("LANGUAGE", value: .words(GeneratedLanguage.allCases.map(\.rawValue)))],
    options: [
      .init(
        "state-dir", argument: "DIR",
        "take the newest schema of the journal in DIR instead of the hub's; it has no comments",
        value: .file),
      .init(
        "schema", argument: "FILE", "take the schema from the output of `storectl schema --json` instead",
        value: .file),
      .init("output", short: "o", argument: "FILE", "write to FILE instead of standard output", value: .file),
      .init("check", "change nothing; fail with status 8 if the file of --output is not what would be written"),
    ],
    details: [
      .text(
        """
        LANGUAGE is python, for the client in clients/python; typescript, for that in clients/typescript; or swift, \
        for programs that cannot import the feature's package. The output has a type for each struct and enum, \
        constructors of actions and paths to the parts of the state, with the comments of the hub's source. It is the \
        same for the same schema, and its second line has the fingerprint. A FILE - is standard input, or for the \
        output standard output.
        """),
      .code([
        "storectl generate python -o app.py",
        "storectl schema --json >schema.json",
        "storectl generate typescript --schema schema.json -o app.ts --check",
      ]),
    ])
}

extension Tool {
  /// Runs `generate LANGUAGE`.
  func generate() async throws(ToolFailure) {
    guard let language = GeneratedLanguage(rawValue: options.arguments[0]) else {
      throw wrongWord(options.arguments[0], GeneratedLanguage.allCases.map(\.rawValue))
    }
    let file = options.string("output")
    guard file != nil || !options.flag("check") else {
      throw ToolFailure(.usage, "--check needs --output, the file that is compared")
    }
    let given = try await givenSchema()
    let text: String
    do throws(GenerationError) {
      text = try generatedSource(of: given.schema, documentation: given.documentation, in: language)
    } catch {
      throw ToolFailure(.failed, "cannot write \(language.rawValue): \(error)")
    }
    guard let file, file != "-" || options.flag("check") else {
      return print(text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init))
    }
    if options.flag("check") { return try check(text, against: file) }
    try replace(file, by: text)
  }

  /// The schema of a file, of a journal or of the hub.
  private func givenSchema() async throws(ToolFailure) -> DocumentedSchema {
    if let file = options.string("schema") {
      let (name, bytes) = try contents(of: file)
      guard let schema = DocumentedSchema(json: String(decoding: bytes, as: UTF8.self)) else {
        throw ToolFailure(.failed, "\(name) is not a schema from `storectl schema --json`")
      }
      return schema
    }
    if let directory = options.string("state-dir") {
      let schemas = try JournalStates.attempt { () throws(LogError) in try JournalReader(directory).schemas() }
      guard let newest = schemas.last else {
        throw ToolFailure(.absent, "the journal in \(directory) has no schema yet")
      }
      return DocumentedSchema(newest.schema, SchemaDocumentation())
    }
    let hub = try await connect(isDocumented: true)
    return DocumentedSchema(hub.schema(of: root), hub.documentation(of: root))
  }

  private func check(_ text: String, against file: String) throws(ToolFailure) {
    let (name, bytes) = try contents(of: file)
    guard bytes != Array(text.utf8) else { return }
    let found = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    let wanted = text.split(separator: "\n", omittingEmptySubsequences: false)
    let line = zip(found, wanted).prefix { $0 == $1 }.count
    func quoted(_ lines: [Substring]) -> String { line < lines.count ? "'\(lines[line])'" : "no line" }
    throw ToolFailure(
      .diverged, "\(name) is out of date: line \(line + 1) is \(quoted(found)), and would be \(quoted(wanted))")
  }

  /// Writes a file, which has the old or the new text at any time. If the file is a symbolic link, the one that it
  /// leads to is written; a file that exists keeps its permissions.
  private func replace(_ file: String, by text: String) throws(ToolFailure) {
    let target = try linked(file)
    let temporary = "\(target).\(getpid()).new"
    let bytes = Array(text.utf8)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw ToolFailure(.failed, "cannot create \(temporary): \(String(cString: strerror(errno)))")
    }
    guard let stream = fdopen(descriptor, "w") else {
      close(descriptor)
      throw ToolFailure(.failed, "cannot write \(temporary): \(String(cString: strerror(errno)))")
    }
    var status = stat()
    if stat(target, &status) == 0 { fchmod(descriptor, status.st_mode & 0o777) }
    let isWritten = fwrite(bytes, 1, bytes.count, stream) == bytes.count
    guard fclose(stream) == 0, isWritten, rename(temporary, target) == 0 else {
      let reason = String(cString: strerror(errno))
      unlink(temporary)
      throw ToolFailure(.failed, "cannot write \(file): \(reason)")
    }
    effect = "\(file) was written"
  }

  /// The file to which a path leads through symbolic links; the path itself if there is no file yet.
  private func linked(_ file: String) throws(ToolFailure) -> String {
    if let path = realpath(file, nil) {
      defer { free(path) }
      return String(cString: path)
    }
    let reason = errno
    var status = stat()
    guard lstat(file, &status) != 0 else {
      let text = String(cString: strerror(reason))
      throw ToolFailure(.failed, "cannot write \(file), a link that leads nowhere: \(text)")
    }
    return file
  }
}
