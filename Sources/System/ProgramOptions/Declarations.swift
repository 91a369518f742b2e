// The declarations of a program, from which its parser, `--help`, its manual page and the completion of words are
// derived.

extension ProgramOptions {
  /// The kind of a word on the command line, for completion by the shell.
  package enum Value: Equatable, Sendable {
    /// Any text; no completions.
    case text
    /// The name of a file.
    case file
    /// One of a few words.
    case words([String])
    /// The name of a file, or one of a few words.
    case fileOrWord([String])
    /// A path of the hub's state.
    case path
    /// An action of the hub's feature.
    case action
    /// The name of a type in the hub's schema.
    case type
    /// A condition on the hub's state, in one or several words.
    case predicate
    /// The name of a user.
    case user
  }

  /// A condition for an option, without which it has no effect and is refused.
  package enum Requirement: Equatable, Sendable {
    /// The command's first argument is this word.
    case argument(String)
    /// The command's first argument is one of these words.
    case arguments([String])
    /// Another option is given.
    case option(String)
  }

  /// One option.
  package struct Option: Sendable {
    let name: String
    let short: Character?
    let argument: String?
    let help: String
    let fallback: String?
    let value: Value
    let isValueOptional: Bool
    var requirement: Requirement?

    /// Creates an option.
    ///
    /// - Parameters:
    ///   - name: Its long name, without dashes.
    ///   - short: Its one-letter name.
    ///   - argument: The placeholder of its value in the help, or nil for a flag.
    ///   - help: The purpose, and the default if it is the same everywhere.
    ///   - fallback: The default in this environment, which `--help` shows and the manual page does not.
    ///   - value: The kind of the value.
    ///   - requirement: The condition for it, which the help mentions.
    package init(
      _ name: String, short: Character? = nil, argument: String? = nil, _ help: String, default fallback: String? = nil,
      value: Value = .text, if requirement: Requirement? = nil
    ) {
      self.init(name, short, argument, help, fallback, value, isValueOptional: false)
      self.requirement = requirement
    }

    init(
      _ name: String, _ short: Character?, _ argument: String?, _ help: String, _ fallback: String? = nil,
      _ value: Value = .text, isValueOptional: Bool
    ) {
      (self.name, self.short, self.argument, self.help, self.fallback) = (name, short, argument, help, fallback)
      (self.value, self.isValueOptional) = (value, isValueOptional)
    }
  }

  /// A positional argument of a command.
  package struct Argument: Sendable {
    /// The number of times that it may be given.
    package enum Count: Sendable {
      case once, atMostOnce, anyNumber
    }

    let name: String
    let count: Count
    let value: Value

    /// Creates an argument with a placeholder such as `PATH`.
    package init(_ name: String, _ count: Count = .once, value: Value = .text) {
      (self.name, self.count, self.value) = (name, count, value)
    }

    var usage: String {
      switch count {
      case .once: name
      case .atMostOnce: "[\(name)]"
      case .anyNumber: "[\(name)...]"
      }
    }
  }

  /// A command, such as `status` in `storectl status`, or a subcommand, such as `compare` in `storeload compare`.
  package struct Command: Sendable {
    let name: String
    let purpose: String
    let arguments: [Argument]
    let options: [Option]
    let details: [Block]

    /// Creates a command.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - purpose: Its purpose, as a phrase.
    ///   - arguments: Its arguments in order; only the last one may be given any number of times.
    ///   - options: Its options; a command also has those of the program.
    ///   - details: Further details.
    package init(
      _ name: String, _ purpose: String, arguments: [Argument] = [], options: [Option] = [], details: [Block] = []
    ) {
      (self.name, self.purpose, self.arguments, self.options) = (name, purpose, arguments, options)
      self.details = details
    }
  }

  /// A block of text in a manual page.
  package enum Block: Sendable {
    /// A paragraph.
    case text(String)
    /// Words with their explanations.
    case terms([(String, String)])
    /// Verbatim lines.
    case code([String])
  }

  /// A section of a manual page, such as EXIT STATUS.
  package struct Section: Sendable {
    let title: String
    let blocks: [Block]

    /// Creates a section with a title in capitals.
    package init(_ title: String, _ blocks: [Block]) {
      (self.title, self.blocks) = (title, blocks)
    }
  }
}
