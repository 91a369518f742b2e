import ClusterCore
import ClusterLog
import Configuration
import EtcdLogStore
import TurnLog
import Wire

/// Questions that operators on other machines ask the hub that leads, through etcd.
extension ClusterNode {
  /// Answers an inquiry, if this node leads. The question comes by the watch, and is repeated if the answer is lost.
  func answer(_ value: StoredValue, in store: UInt64) {
    guard store == core.history?.store, core.leadingTerm != nil, let leader = core.point.leader,
      let inquiry = try? LeaderInquiry(decoding: value.bytes.span.bytes)
    else { return }
    switch inquiry.request {
    case .report: reply(to: inquiry, as: leader)
    case .handover(let node, let term):
      // One to an earlier leader has been answered, or is repeated by nobody.
      guard term == leader.term else { return }
      do throws(HandOverError) {
        try handOver(to: "\(node)")
        reply(to: inquiry, as: leader)
      } catch {
        reply(to: inquiry, as: leader, refusal: "\(error)")
      }
    }
  }

  private func reply(to inquiry: LeaderInquiry, as leader: Leadership, refusal: String = "") {
    let linked = Set(core.linkedNodes)
    let nodes = settings.nodes.sorted { $0.key < $1.key }.map { name, address in
      let isHere = name == settings.node || linked.contains(name)
      return LeaderReply.Node(name: name, host: address.host, stored: isHere ? core.stored(by: name) : nil)
    }
    let reply = LeaderReply(
      id: inquiry.id, leader: leader, position: core.point.position, nodes: nodes, refusal: refusal)
    store?.transact(.reply(reply), in: core.history?.store) { _, _ in }
  }
}
