import CustomDump

struct User: Equatable, Identifiable {
  var id: Int
  var name: String
}

struct Point: Equatable {
  var x: Int
  var y: Int
}

struct Pair {
  var driver: User
  var passenger: User
}

struct Box<Value> {
  var value: Value
}

struct Note: Equatable {
  var title: String
  var body: String
}

enum Shape: Equatable {
  case none
  case circle(Double)
  case square(side: Double)
  case rectangle(width: Double, height: Double)
  case polygon(Int, name: String)
  indirect case group(Shape)
}

enum Space {
  enum Inner { case x(Int) }
  struct Cell { var x: Int }
  final class Node {
    let x: Int
    init(x: Int) { self.x = x }
  }
}

class Person {
  let name: String
  init(name: String) { self.name = name }
}

final class Doctor: Person {
  let field = "Podiatry"
}

final class Link {
  var next: Link?
}

/// A value that is not even equal to itself.
struct Unequal: Equatable {
  var value: Int
  var other = 0
  static func == (lhs: Self, rhs: Self) -> Bool { false }
}

struct Secret: CustomDumpStringConvertible {
  var value: String
  var customDumpDescription: String { "<redacted>" }
}

struct Login: CustomDumpReflectable {
  var email = "blob@example.com"
  var password: String
  var token = "secret"

  var customDumpMirror: Mirror {
    Mirror(self, children: ["email": email, "password": Secret(value: password)], displayStyle: .struct)
  }
}

struct Tagged<Value>: CustomDumpRepresentable {
  var rawValue: Value
  var customDumpValue: Any { rawValue }
}

/// A dictionary that keeps its order.
struct Ordered<Value: Equatable>: CustomDumpReflectable, Equatable {
  var pairs: KeyValuePairs<String, Value>

  var customDumpMirror: Mirror {
    Mirror(self, unlabeledChildren: pairs.map { ($0.key, $0.value) }, displayStyle: .dictionary)
  }

  static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.pairs.elementsEqual(rhs.pairs) { $0 == $1 }
  }
}

func dumped(_ value: Any, maxDepth: Int = .max) -> String {
  var text = ""
  customDump(value, to: &text, maxDepth: maxDepth)
  return text
}
