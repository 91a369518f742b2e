import Testing

/// `#expect` for what it cannot take apart: expressions that speak of a value that cannot be copied.
func check(_ condition: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
  #expect(condition, sourceLocation: sourceLocation)
}
