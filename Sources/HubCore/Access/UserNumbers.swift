/// The numbers by which a hub knows the users and groups of its clients.
///
/// They are the kernel's, unless the machines of a cluster have users of their own. Then those of each machine are the
/// kernel's plus a base, so that uid 1000 of two machines is two users in all that a hub keeps by users: sessions,
/// quotas, the order of turns, the list of clients, the senders that reducers see, and the journal. Rights are given to
/// the kernel's numbers, by the hub of the machine.
///
/// Users for whom gateways speak have the same numbers on all machines (`AccessPolicy.remoteUsers`).
package struct UserNumbers: Equatable, Sendable {
  /// The numbers of this machine's users; nil if they are the kernel's.
  let own: ClosedRange<UInt32>?
  /// The name of this machine.
  private let machine: String
  /// The numbers of each machine's users, this one's among them.
  private let ranges: [String: ClosedRange<UInt32>]

  /// The kernel's numbers.
  package static let shared = UserNumbers(of: "", among: [:])

  /// Describes the numbers of the users of some machines.
  ///
  /// - Parameters:
  ///   - machine: The name of this one.
  ///   - ranges: The numbers of the users of each machine, by its name; none if all have the same users.
  /// - Precondition: The ranges have this machine, unless there are none.
  package init(of machine: String, among ranges: [String: ClosedRange<UInt32>]) {
    precondition(ranges.isEmpty || ranges[machine] != nil, "this machine's users have no numbers")
    (self.machine, self.ranges, own) = (machine, ranges, ranges[machine])
  }

  /// The number of a user or a group of this machine, by that of the kernel; nil if the range has no room for it.
  func number(of id: UInt32) -> UInt32? { Self.number(of: id, in: own) }

  static func number(of id: UInt32, in range: ClosedRange<UInt32>?) -> UInt32? {
    guard let range else { return id }
    let (sum, isTooLarge) = range.lowerBound.addingReportingOverflow(id)
    return !isTooLarge && range.contains(sum) ? sum : nil
  }

  /// The name of a user of this machine for all machines, such as `alice@a`; that of the kernel's number if it has none.
  func name(_ name: String, of uid: UInt32) -> String {
    own == nil ? name : "\(name.isEmpty ? "\(uid)" : name)@\(machine)"
  }

  /// The name of a user of any machine, such as `1000@b`. Only that machine knows the user's own name. Empty if all
  /// machines have the same users, and for a user for whom a gateway speaks.
  func name(of number: UInt32) -> String {
    guard let (machine, range) = ranges.first(where: { $0.value.contains(number) }) else { return "" }
    return "\(number - range.lowerBound)@\(machine)"
  }
}
