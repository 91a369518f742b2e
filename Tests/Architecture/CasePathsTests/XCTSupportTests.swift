import CasePaths
import IssueReporting
import Testing

@CasePathable private enum Choice: Equatable {
  case number(Int)
  case text(String)
}

@Suite struct XCTSupportTests {
  @Test func aCaseIsChanged() throws {
    var choice = Choice.number(1)
    XCTModify(&choice, case: \.number) { $0 += 1 }
    #expect(choice == .number(2))
    var optional: Choice? = choice
    XCTModify(&optional, case: \.number) { $0 += 1 }
    XCTModify(&optional) { $0 = .text("a") }
    #expect(optional == .text("a"))
    #expect(try XCTUnwrap(choice, case: \.number) == 2)
  }

  @Test func aCaseIsExtractedByAFunction() throws {
    let choice = Choice.number(3)
    func number(of choice: Choice) -> Int? { choice[case: \.number] }
    #expect(try XCTUnwrap(choice, case: number(of:)) == 3)
    #expect(try XCTUnwrap(choice, case: { $0[case: \.number] }, "message") == 3)
    #expect(try XCTUnwrap(choice, case: /Choice.number) == 3)
    let issues = withExpectedIssue {
      #expect(throws: CaseUnwrapFailure.self) { try XCTUnwrap(choice, case: { $0[case: \.text] }, "message") }
    }
    #expect(issues.count == 1 && issues.first?.hasSuffix(" - message") == true)
  }

  @Test func anotherCaseIsReported() {
    var choice = Choice.number(1)
    #expect(withExpectedIssue { XCTModify(&choice, case: \.text) { $0 = "a" } }.count == 1)
    #expect(withExpectedIssue { XCTModify(&choice, case: \.number, "message") { _ in } }.count == 1)
    #expect(choice == .number(1))
    var missing: Choice?
    #expect(withExpectedIssue { XCTModify(&missing, case: \.text) { $0 = "a" } }.count == 1)
    #expect(withExpectedIssue { XCTModify(&missing) { $0 = .number(2) } }.count == 1)
    #expect(missing == nil)
    let issues = withExpectedIssue {
      #expect(throws: CaseUnwrapFailure.self) { try XCTUnwrap(choice, case: \.text) }
    }
    #expect(issues.count == 1)
  }
}
