internal import ProgramOptions

/// The description of a service for `--help`, the manual page and the log.
public nonisolated struct ServiceDescription: Sendable {
  /// The program's name.
  public var name: String
  /// The purpose of the program, as a sentence.
  public var purpose: String
  /// The program's version.
  public var version: String
  /// The name of the directory for its socket, in the directory for runtime files.
  public var directory: String
  /// Its options in addition to those of every hub.
  public var options: [ServiceOption]

  /// Creates a description.
  ///
  /// - Parameters:
  ///   - name: The program's name.
  ///   - purpose: The purpose of the program, as a sentence.
  ///   - version: The program's version; by default StoreHub's.
  ///   - directory: The name of the directory for its socket; by default the program's name.
  ///   - options: Its options in addition to those of every hub.
  public init(
    _ name: String, purpose: String = "Serves a store to many processes, on a Unix socket.", version: String? = nil,
    directory: String? = nil, options: [ServiceOption] = []
  ) {
    (self.name, self.purpose, self.version) = (name, purpose, version ?? storeHubVersion)
    (self.directory, self.options) = (directory ?? name, options)
  }

  /// The name of this process's executable file.
  static var nameOfProcess: String {
    ProcessArguments.programName.isEmpty ? "hub" : ProcessArguments.programName
  }
}

/// An option that a service adds.
public nonisolated struct ServiceOption: Sendable {
  /// The long name, without dashes.
  public var name: String
  /// The placeholder of the value in the help; nil for a flag.
  public var argument: String?
  /// The purpose and the default value.
  public var help: String

  /// Creates an option.
  public init(_ name: String, argument: String? = nil, _ help: String) {
    (self.name, self.argument, self.help) = (name, argument, help)
  }
}

/// The command-line options that were given to a service.
public nonisolated struct ServiceOptions: Sendable {
  private let parsed: ParsedOptions

  init(_ parsed: ParsedOptions) { self.parsed = parsed }

  /// The value of an option, or the empty string for a flag; nil if it was not given.
  public subscript(name: String) -> String? { parsed.flag(name) ? parsed.string(name) ?? "" : nil }
}

/// An invalid option, with a message for the user.
public nonisolated struct ServiceOptionError: Error, Equatable, CustomStringConvertible {
  /// The problem, and how to correct it.
  public let description: String

  /// Creates an error.
  public init(_ description: String) { self.description = description }
}
