/// Decoders with planted bugs. Fuzzing by coverage finds the four bytes of the first in seconds, chance in years.
extension FuzzTarget {
  /// A target that violates its guarantee.
  static let canary = FuzzTarget(name: "canary") { bytes in
    try promise(!endsInPlant(bytes), "the canary sings")
  } seeds: {
    [[0]]
  }

  /// Reads one byte beyond its memory, which only the address sanitizer detects.
  static let memoryCanary = FuzzTarget(name: "canary-memory") { bytes in
    guard endsInPlant(bytes) else { return }
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
    defer { memory.deallocate() }
    memory.initialize(repeating: 0, count: bytes.count)
    try promise(memory[bytes.count] != 0x5a || memory[0] == 0, "memory was written to")
  } seeds: {
    [[0]]
  }

  private static func endsInPlant(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 4 && bytes[0] == 0x1a && bytes[1] == 0xc0 && bytes[2] == 0xff && bytes[3] == 0xee
  }
}
