import CasePaths

@CasePathable @dynamicMemberLookup
enum Shape {
  case circle(radius: Int)
  #if os(Linux)
    case square(Int)
  #endif
}
