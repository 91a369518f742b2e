internal import Glibc

/// The program that shows long output on a terminal, from `PAGER`; without it, less.
final class Pager {
  private let pipe: UnsafeMutablePointer<FILE>

  /// Starts the pager; nil if the user wants none, or there is no such program.
  init?() {
    let command = getenv("PAGER").map { String(cString: $0) } ?? "less"
    guard !["", "cat"].contains(command) else { return nil }
    // Exits if the text fits on one screen, keeps colours, and leaves the text on the screen.
    setenv("LESS", "FRX", 0)
    guard system("command -v \(command.prefix { $0 != " " }) >/dev/null") == 0,
      let pipe = popen("exec \(command)", "we")
    else { return nil }
    self.pipe = pipe
  }

  /// The descriptor of the pager's input.
  var descriptor: CInt { fileno(pipe) }

  /// Ends the pager's input, and waits until the user has left the pager.
  func wait() { pclose(pipe) }
}
