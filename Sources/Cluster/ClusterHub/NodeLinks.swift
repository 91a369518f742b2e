import ClusterCore
package import ClusterLink
package import ClusterLog
package import Configuration
package import EventLoop
import NetworkStream

/// The links of a node to all others. Of two members, the one with the lower name calls. A relay calls those that it may
/// follow.
package final class NodeLinks {
  /// What happens on the links.
  package enum Event {
    case opened(NodeName, version: UInt64)
    case closed(NodeName, reason: String)
    /// A connection has ended before it was a link: to the node, or from an unknown one.
    case failed(NodeName?, reason: String)
    case happened(NodeName, ClusterLink.Event)
  }

  private let loop: EventLoop
  private let settings: ClusterSettings
  private let options: () -> LinkOptions
  private let now: () -> Duration
  private let onEvent: (Event) -> Void
  private var client: TLSCredentials?
  private var listener: NetworkListener?
  /// All connections, also those without a hello yet.
  private var all: [ObjectIdentifier: NodeLink] = [:]
  private var open: [NodeName: NodeLink] = [:]
  private var arrivals: Arrivals
  /// The nodes that this one calls: when next, and while a connection is being opened.
  private var calls: [NodeName: Call] = [:]

  private enum Call {
    case due(Duration)
    case made
  }

  /// The protocol's name in TLS.
  private static let protocolName = "storehub-link"
  private static let callPause = Duration.milliseconds(250)
  /// The pause if the other node does not let this one in: it has to be told to.
  private static let refusalPause = Duration.seconds(2)

  /// Listens.
  package init(
    on loop: EventLoop, _ settings: ClusterSettings, now: @escaping () -> Duration,
    options: @escaping () -> LinkOptions, onEvent: @escaping (Event) -> Void
  ) throws(ClusterNodeError) {
    (self.loop, self.settings, self.now, self.options, self.onEvent) = (loop, settings, now, options, onEvent)
    arrivals = Arrivals(nodes: settings.nodes.count + settings.relays.count)
    let server: TLSCredentials?
    do throws(TLSError) { (client, server) = try Self.credentials(settings) } catch { throw .tls("\(error)") }
    let called = settings.isRelay ? settings.follow : settings.nodes.keys.filter { $0 > settings.node }
    for node in called { calls[node] = .due(now()) }
    // A relay that nobody follows has no address.
    guard let own = settings.nodes[settings.node] else { return }
    guard let address = SocketAddress(numeric: own.host, port: own.port) else {
      throw .address("\(own)", reason: "it is not an address of IP")
    }
    do throws(UVError) {
      listener = try NetworkListener(on: loop, at: address, credentials: server) { [weak self] in self?.accept($0) }
    } catch {
      throw .address("\(own)", reason: "\(error)")
    }
  }

  private static func credentials(
    _ settings: ClusterSettings
  ) throws(TLSError) -> (client: TLSCredentials?, server: TLSCredentials?) {
    guard let files = settings.tlsFiles else { return (nil, nil) }
    return (
      try TLSCredentials(files, role: .client, protocolName: protocolName),
      try TLSCredentials(files, role: .server, protocolName: protocolName)
    )
  }

  /// Reads the files of TLS again, for the next connections. After a mistake in them, those of before stay in use.
  func reload() throws(TLSError) {
    let (client, server) = try Self.credentials(settings)
    self.client = client
    listener?.credentials = server
  }

  /// A warning from 14 days before the own certificate expires; nil before that. Etcd gets the same certificate.
  func expiryWarning(at secondsSince1970: Int64) -> String? { client?.expiryWarning(at: secondsSince1970) }

  /// A warning if the own certificate is that of another node; nil otherwise.
  var nameWarning: String? { client?.nameWarning(of: "\(settings.node)") }

  /// Says goodbye on all links.
  package func close() {
    listener?.close()
    listener = nil
    calls = [:]
    for link in all.values { link.close(.leaves) }
  }

  // MARK: Connections

  private func accept(_ result: Result<NetworkStream, UVError>) {
    guard case .success(let stream) = result else { return }
    let id = add(stream, calling: nil)
    guard let (oldest, address) = arrivals.add(id, from: stream.peerAddress ?? "an unknown address") else { return }
    all[oldest]?.drop("too many connections from \(address) have not become links: the oldest one is closed")
  }

  private func call(_ node: NodeName, at address: ClusterSettings.Address) {
    calls[node] = .made
    let stream = NetworkStream(on: loop, session: client.map { TLSSession($0, host: address.host) })
    add(stream, calling: node)
    stream.connect(to: address.host, port: address.port)
  }

  @discardableResult private func add(_ stream: NetworkStream, calling node: NodeName?) -> ObjectIdentifier {
    let link = NodeLink(stream, now: now) { [unowned self] name in
      // Without TLS, only this machine can connect.
      let names = name.map { NodeName($0).map { [$0] } ?? [] } ?? settings.nodes.keys.sorted() + settings.relays
      return ClusterLink(options(), certificate: names, expected: node, now: now())
    }
    let id = ObjectIdentifier(link)
    all[id] = link
    var peer: NodeName?
    link.onEvent = { [weak self, weak link] event in
      guard let self, let link else { return }
      switch event {
      case .opened(let opened):
        peer = opened.node
        arrivals.remove(id)
        replace(link, of: opened)
      case .ended: break
      case .message, .snapshot, .sessionRefused, .sessionEnded, .cancelled, .clockRead:
        if let peer, open[peer] === link { onEvent(.happened(peer, event)) }
      }
    }
    link.onEnd = { [weak self, weak link] reason in
      guard let self else { return }
      all[id] = nil
      arrivals.remove(id)
      if let node, calls[node] != nil {
        calls[node] = .due(now() + (link?.isRefused == true ? Self.refusalPause : Self.callPause))
      }
      guard let peer else { return onEvent(.failed(node, reason: reason)) }
      guard let link, open[peer] === link else { return }
      open[peer] = nil
      onEvent(.closed(peer, reason: reason))
    }
    return id
  }

  private func replace(_ link: NodeLink, of peer: ClusterLink.Peer) {
    let node = peer.node
    if let old = open.removeValue(forKey: node) {
      onEvent(.closed(node, reason: "a newer link"))
      old.close(.replaced)
    }
    open[node] = link
    onEvent(.opened(node, version: peer.version))
  }

  // MARK: Messages

  /// Sends a message to a node, if the link to it is open.
  func send(_ message: ClusterMessage, to node: NodeName, group: UInt32 = 0, name: String = "") {
    open[node]?.send(message, group: group, name: name)
  }

  /// The name of the client of a session of another node; nil if it is not known.
  func name(of session: ClusterSession) -> String? { open.values.lazy.compactMap { $0.name(of: session) }.first }

  /// True while a snapshot is being sent to a node.
  func isSendingSnapshot(to node: NodeName) -> Bool { open[node]?.isSendingSnapshot == true }

  /// Sends a snapshot to a node that has asked for it, as the connection takes it.
  func send(_ place: JournalPlace, from source: any SnapshotSource, to node: NodeName) {
    open[node]?.send(place, from: source)
  }

  /// Tells a node what has become of the snapshot that it has asked for.
  func send(_ notice: SnapshotNotice, to node: NodeName) { open[node]?.send(notice) }

  /// Asks a leader to cancel the effects of an action of a client of this node.
  func cancel(action: UInt64, of session: ClusterSession, term: UInt64, on node: NodeName) {
    open[node]?.cancel(action: action, of: session, term: term)
  }

  /// Tells the node from which a session came that a node further up does not perform its actions.
  func refuse(_ session: ClusterSession, _ refusal: SessionRefusal) {
    for link in open.values { link.refuse(session, refusal) }
  }

  /// Tells all nodes that a client is gone.
  func sessionEnded(_ session: ClusterSession) {
    for link in open.values { link.sessionEnded(session) }
  }

  // MARK: Time

  /// Does what is due.
  package func advance(to time: Duration) {
    for link in Array(all.values) { link.advance(to: time) }
    for (node, call) in calls {
      guard case .due(let due) = call, time >= due, let address = settings.nodes[node] else { continue }
      self.call(node, at: address)
    }
  }

  /// The time at which `advance` has something to do.
  var nextTime: Duration? {
    let due = calls.values.compactMap { if case .due(let time) = $0 { time } else { nil } }
    return (due + all.values.compactMap(\.nextTime)).min()
  }
}

extension ClusterSettings {
  /// The files of TLS.
  var tlsFiles: TLSFiles? {
    tls.map { TLSFiles(authority: $0.authority, certificate: $0.certificate, key: $0.key) }
  }
}
