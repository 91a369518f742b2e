/// The context of `XCTModify`: in an assertion of a test that is not exhaustive, a change may have no effect.
package enum XCTModifyLocals {
  @TaskLocal package static var isExhaustive = true
}
