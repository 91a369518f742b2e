internal import FoundationEssentials

extension JSONEncoder {
  /// An encoder for readable and comparable files: keys are sorted.
  static var forFiles: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
