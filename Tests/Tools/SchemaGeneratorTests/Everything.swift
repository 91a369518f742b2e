import ComposableArchitecture
import Foundation
import ReplicatedArchitecture
import ReplicatedFoundation

/// A feature with every kind of type that a schema can have, and with names that other languages reserve.
enum Everything {
  enum Colour: String, CaseIterable {
    case red, green
  }

  /// A point; a key of dictionaries.
  @Replicated struct Point: Hashable, Sendable {
    var x: Int
    var y: Int
  }

  /// A tree, which contains itself.
  ///
  /// With a comment of several paragraphs, """quotes""", a \ backslash, and an end of a comment: */.
  @Replicated struct Tree: Equatable, Identifiable, Sendable {
    var id: Int
    /// The branches.
    var branches: IdentifiedArrayOf<Tree> = []
  }

  @Replicated indirect enum Chain: Equatable, Sendable {
    case end
    case link(Double, next: Chain?)
  }

  @Replicated struct Box<Value: Equatable & Sendable>: Equatable, Sendable {
    var value: Value
    var others: [Value]?
  }

  @Replicated enum Refusal: Error, Hashable, Sendable {
    case never
    case because(reason: String)
  }

  @Replicated struct Screen: Equatable, Identifiable, Sendable {
    var id: UUID
    var title: String
  }

  /// Names that are keywords somewhere.
  @Replicated struct Keywords: Equatable, Sendable {
    var `class`: Int
    var def: Int
    var none: Int
    var `in`: Int?
    var isTrue: Bool
    var int: Int
    var str: String
    var constructor: String
    var nextURLSession: String
  }

  @Replicated struct Numbers: Equatable, Sendable {
    var int: Int
    var small: Int8
    var wide: Int64
    var unsigned: UInt64
    var huge: Int128
    var float: Float
    var double: Double
    var flag: Bool
  }

  @Replicated struct Values: Equatable, Sendable {
    var date: Date
    var uuid: UUID
    var data: Data
    var decimal: Decimal
    var url: URL
    var duration: Duration
    var character: Character
    var colour: Colour
    var range: Range<Int>
    var closed: ClosedRange<Double>
    var result: Result<Point, Refusal>
    var twice: Int??
    var thrice: [Int??]
  }

  @Replicated struct Collections: Equatable, Sendable {
    var list: [Point]
    var members: Set<Point>
    var byName: [String: Int]
    var byPoint: [Point: [String]]
    var byFlag: [Bool: Int]
    var sets: Set<Set<Int>>
    var trees: IdentifiedArrayOf<Tree>
    var boxes: Box<Int>
    var texts: Box<String>
  }

  /// The state.
  @Replicated struct State: Equatable, Sendable {
    var numbers: Numbers
    var values: Values
    var collections: Collections
    var keywords: Keywords
    var chain = Chain.end
    @PresentationState var sheet: Screen?
    var path = StackState<Screen>()
    /// An optional.
    var selected: Point?
  }

  @CasePathable
  @Replicated enum ScreenAction: Equatable, Sendable {
    /// The title was changed.
    case titleChanged(String)
    case closed
  }

  @CasePathable
  @Replicated enum TreeAction: Equatable, Sendable {
    case grown
    indirect case branch(id: Int, TreeAction)
  }

  /// The actions.
  @CasePathable
  @Replicated enum Action: Equatable, Sendable {
    case tapped
    /// A number was chosen.
    case chosen(Int)
    case moved(Int, before: Int?)
    case placed(Point, Colour)
    case `import`(class: String, case: Int)
    case screen(ScreenAction)
    case sheet(PresentationAction<ScreenAction>)
    case path(StackAction<Screen, ScreenAction>)
    case tree(id: Int, action: TreeAction)
    case filled(Values)
  }
}

extension Everything.Colour: Replicated {}
