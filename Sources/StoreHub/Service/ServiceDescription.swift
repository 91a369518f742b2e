internal import ProgramOptions

/// What `--help`, the manual page and the log say about a service.
public nonisolated struct ServiceDescription: Sendable {
  /// The program's name.
  public var name: String
  /// What the program does, as a sentence.
  public var purpose: String
  /// The program's version.
  public var version: String
  /// The name of its directory for the socket, in the directory for runtime files.
  public var directory: String
  /// The options that it has beside those of every hub.
  public var options: [ServiceOption]

  /// Creates a description.
  ///
  /// - Parameters:
  ///   - name: The program's name.
  ///   - purpose: What the program does, as a sentence.
  ///   - version: The program's version; by default StoreHub's.
  ///   - directory: The name of its directory for the socket; by default the program's name.
  ///   - options: The options that it has beside those of every hub.
  public init(
    _ name: String, purpose: String = "Serves a store to many processes, on a Unix socket.", version: String? = nil,
    directory: String? = nil, options: [ServiceOption] = []
  ) {
    (self.name, self.purpose, self.version) = (name, purpose, version ?? storeHubVersion)
    (self.directory, self.options) = (directory ?? name, options)
  }

  /// The name of the file that this process runs.
  static var nameOfProcess: String {
    CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "hub"
  }
}

/// An option of a service's own.
public nonisolated struct ServiceOption: Sendable {
  /// Its long name, without dashes.
  public var name: String
  /// The placeholder of its value in the help; nil for a flag.
  public var argument: String?
  /// Its purpose, and its default.
  public var help: String

  /// Creates an option.
  public init(_ name: String, argument: String? = nil, _ help: String) {
    (self.name, self.argument, self.help) = (name, argument, help)
  }
}

/// The options of a command line, for a service.
public nonisolated struct ServiceOptions: Sendable {
  private let parsed: ParsedOptions

  init(_ parsed: ParsedOptions) { self.parsed = parsed }

  /// The value of an option, or the empty string for a flag; nil if it was not given.
  public subscript(name: String) -> String? { parsed.flag(name) ? parsed.string(name) ?? "" : nil }
}

/// A wrong option: one message for the user who typed it.
public nonisolated struct ServiceOptionError: Error, Equatable, CustomStringConvertible {
  /// The problem, and how to correct it.
  public let description: String

  /// Creates an error.
  public init(_ description: String) { self.description = description }
}
