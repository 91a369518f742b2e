import Testing

/// A replacement of `#expect` for expressions with values that cannot be copied.
func check(_ condition: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
  #expect(condition, sourceLocation: sourceLocation)
}
