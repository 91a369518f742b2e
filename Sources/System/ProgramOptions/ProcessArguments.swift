internal import Glibc

/// The command line of this process.
package enum ProcessArguments {
  /// The program's name as it was called, and the arguments.
  ///
  /// `CommandLine.arguments` finds them beside the environment, and is empty if a preloaded library has moved the
  /// environment before `main`. The kernel's copy is used then: a program that ignored its options would do something
  /// else than it was told.
  package static let all: [String] = words.map { String(decoding: $0, as: UTF8.self) }

  /// The arguments without the program's name.
  package static var options: [String] { Array(all.dropFirst()) }

  /// The last part of the program's name; empty if it was started without a name.
  package static var programName: String { all.first?.split(separator: "/").last.map(String.init) ?? "" }

  /// The first argument that is not UTF-8, in which Swift has replaced the wrong bytes; nil if there is none.
  static var misencoded: String? {
    words.first { String(validating: $0, as: UTF8.self) == nil }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The bytes of the name and the arguments.
  private static let words: [[UInt8]] =
    CommandLine.arguments.isEmpty
    ? kernelWords
    : (0..<Int(CommandLine.argc)).compactMap { index in
      CommandLine.unsafeArgv[index].map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
    }

  /// The kernel's copy of the command line; empty if it cannot be read.
  private static var kernelWords: [[UInt8]] {
    let descriptor = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    // Each word ends with a zero, also an empty one.
    guard bytes.last == 0 else { return [] }
    return bytes.dropLast().split(separator: 0, omittingEmptySubsequences: false).map(Array.init)
  }
}
