/// The context of `XCTModify`: in the assertion of a test that is not exhaustive, a change need not change anything.
package enum XCTModifyLocals {
  @TaskLocal package static var isExhaustive = true
}
