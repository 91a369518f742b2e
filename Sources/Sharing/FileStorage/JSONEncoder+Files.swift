internal import FoundationEssentials

extension JSONEncoder {
  /// An encoder whose files people can read, and compare: keys are sorted.
  static var forFiles: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
