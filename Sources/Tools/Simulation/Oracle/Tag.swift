/// Tags identify actions in a whole simulation: the client's process and a count, or an echo.
enum Tag {
  /// The bit in tags of actions that effects send.
  static var echo: UInt64 { 1 << 63 }

  static func make(process: UInt32, number: UInt32) -> UInt64 { UInt64(process) << 32 | UInt64(number) }
  static func isEcho(_ tag: UInt64) -> Bool { tag & echo != 0 }
  static func process(_ tag: UInt64) -> UInt32 { UInt32(tag >> 32) }
  static func number(_ tag: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: tag) }

  static func text(_ tag: UInt64) -> String {
    isEcho(tag) ? "echo \(tag & ~echo)" : "action \(number(tag)) of process \(process(tag))"
  }
}
