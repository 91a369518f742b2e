public import Wire

extension Schema {
  /// The path whose actions begin with these bytes, the reverse of `actionPrefix(of:)`; nil if there is none.
  ///
  /// ```swift
  /// schema.actionPath(ofPrefix: [0x82, 0x00]).flatMap { schema.name(ofAction: $0) }  // "counter"
  /// ```
  /// - Complexity: O(cases on the way).
  public func actionPath(ofPrefix bytes: [UInt8]) -> [PathStep]? {
    var path: [PathStep] = []
    while let known = actionPrefix(of: path), known != bytes {
      let type: SchemaType? = path.isEmpty ? action : payload(ofAction: path)?.first?.type
      guard let type, let cases = cases(of: type) else { return nil }
      let next = cases.first { item in
        actionPrefix(of: path + [.key(item.key)]).map { bytes.starts(with: $0) } ?? false
      }
      guard let next, let prefix = actionPrefix(of: path + [.key(next.key)]) else { return nil }
      guard next == elementCase(of: type), prefix.count < bytes.count else {
        path.append(.key(next.key))
        continue
      }
      guard let id = Self.firstItem(of: bytes[prefix.count...]) else { return nil }
      path.append(.id(id))
    }
    return actionPrefix(of: path) == bytes ? path : nil
  }

  private static func firstItem(of bytes: ArraySlice<UInt8>) -> [UInt8]? {
    let rest = [UInt8](bytes)
    let decoder = unsafe CBORDecoder(rest.span.bytes)
    guard let item = try? decoder.nextItem() else { return nil }
    return [UInt8](item)
  }
}
