internal import CGlibc

/// The text that this process wrote on standard error last, in memory that survives the process.
///
/// The memory begins with the text's length in eight bytes, then UTF-8; its owner sets the length to 0 when the text no
/// longer matters. The text of a fatal error is not replaced by the backtrace that may follow it.
package enum LastWords {
  /// Keeps the text in `memory` from now on.
  package static func keep(in memory: UnsafeMutableRawBufferPointer) {
    if let start = memory.baseAddress { cglibc_keep_words(start, memory.count) }
  }

  /// Keeps no more text in `memory`, which is about to be unmapped.
  package static func forget(_ memory: UnsafeMutableRawBufferPointer) {
    if let start = memory.baseAddress { cglibc_forget_words(start) }
  }

  /// Keeps what this process writes to `stderr` from now on, above all the runtime's message of a fatal error.
  package static func watchErrors() { cglibc_watch_errors() }

  /// Keeps a line. Any thread may call it.
  package static func note(_ line: String) {
    var line = line
    line.withUTF8 { text in
      text.withMemoryRebound(to: CChar.self) { text in
        if let start = text.baseAddress { cglibc_note_words(start, text.count) }
      }
    }
  }
}
