extension Schema {
  /// Returns true if the state has presentations, and each of them is in one of several parts.
  ///
  /// A part within a presentation does not contain it, and neither does an element of a collection contain those of the
  /// others.
  ///
  /// - Parameter paths: The steps to the parts.
  /// - Complexity: O(definitions × fields on the paths).
  package func hasPresentations(allWithin paths: [[PathStep]]) -> Bool {
    hasPresentation(in: state) && areCovered(in: state, by: paths.map { $0[...] })
  }

  private func areCovered(in type: SchemaType, by paths: [ArraySlice<PathStep>]) -> Bool {
    if paths.contains(where: \.isEmpty) || !hasPresentation(in: type) { return true }
    // Only the fields of a struct are always there. Each one takes a step, so this ends.
    guard !paths.isEmpty, case .definition(let index) = type, case .fields(let fields) = definitions[index].content
    else { return false }
    return fields.allSatisfy { field in
      let within = paths.filter { $0.first == .key(field.key) }
      return areCovered(in: field.type, by: within.map { $0.dropFirst() })
    }
  }

  private func hasPresentation(in type: SchemaType) -> Bool {
    var (seen, waiting): (Set<Int>, [SchemaType]) = ([], [type])
    while let next = waiting.popLast() {
      switch next {
      case .named("PresentationState", let parts) where parts.count == 1: return true
      case .named(_, let parts): waiting += parts
      case .definition(let index): if seen.insert(index).inserted { waiting += definitions[index].parts }
      }
    }
    return false
  }
}
