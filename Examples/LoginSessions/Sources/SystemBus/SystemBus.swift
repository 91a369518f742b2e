internal import CSDBus
public import EventLoop

/// A connection to a message bus, on the loop and without a thread: sd-bus of libsystemd, driven by a poll and a timer.
///
/// Source: sd_bus_get_fd(3), sd_bus_process(3).
@MainActor
public final class SystemBus {
  private let loop: EventLoop
  private let bus: OpaquePointer
  /// The libsystemd connection, for tests that serve objects. Call `prepare()` after using it.
  public var connection: OpaquePointer { bus }
  private var poll: Poll?
  private var timer: Timer?
  private var watches: [ObjectIdentifier: BusWatch] = [:]
  /// The reason why the connection was lost.
  private(set) var failure: BusError?

  /// Connects to a bus.
  ///
  /// - Parameters:
  ///   - loop: The loop of the connection, which must outlive it.
  ///   - address: The bus; nil for the system bus.
  /// - Throws: `BusError.noBus`, or the reason why the loop cannot poll.
  public init(loop: EventLoop, address: String? = nil) throws {
    self.loop = loop
    var bus: OpaquePointer?
    let code = Self.open(&bus, address)
    guard code >= 0, let bus else {
      throw BusError.noBus(reason: BusError.words(for: code))
    }
    self.bus = bus
    timer = try Timer(on: loop) { [weak self] in self?.process() }
    let descriptor = sd_bus_get_fd(bus)
    guard descriptor >= 0 else { throw BusError.noBus(reason: BusError.words(for: descriptor)) }
    poll = try Poll(on: loop, descriptor: descriptor) { [weak self] _ in self?.process() }
    prepare()
  }

  private static func open(_ bus: inout OpaquePointer?, _ address: String?) -> CInt {
    guard let address else { return sd_bus_open_system(&bus) }
    let code = sd_bus_new(&bus)
    guard code >= 0, let created = bus else { return code }
    var result = sd_bus_set_address(created, address)
    if result >= 0 { result = sd_bus_set_bus_client(created, 1) }
    if result >= 0 { result = sd_bus_start(created) }
    if result < 0 { bus = sd_bus_unref(created) }
    return result
  }

  isolated deinit {
    for watch in watches.values { watch.forget() }
    poll = nil
    sd_bus_close_unref(bus)
  }

  /// Watches the properties of an object. Calls `onChange` with them now and after each signal of the object.
  ///
  /// - Returns: A watch that must be kept while `onChange` should be called.
  public func watch(
    service: String, path: String, interface: String,
    _ onChange: @escaping @MainActor (Result<[String: BusValue], BusError>) -> Void
  ) -> BusWatch {
    let watch = BusWatch(bus: self, service: service, path: path, interface: interface, onChange)
    watches[ObjectIdentifier(watch)] = watch
    watch.begin(on: bus)
    prepare()
    return watch
  }

  func forget(_ watch: BusWatch) {
    watches[ObjectIdentifier(watch)] = nil
  }

  /// Handles received messages, and updates the loop's poll and timer.
  func process() {
    var code: CInt = 1
    while code > 0 { code = sd_bus_process(bus, nil) }
    if code < 0 { return lose(BusError.noBus(reason: BusError.words(for: code))) }
    prepare()
  }

  /// Sets the poll and the timer to the events and the timeout that sd-bus waits for.
  public func prepare() {
    guard failure == nil else { return }
    let events = sd_bus_get_events(bus)
    guard events >= 0 else { return lose(BusError.noBus(reason: BusError.words(for: events))) }
    var wanted: Poll.Events = []
    // The constants of poll(2).
    if events & 1 != 0 { wanted.insert(.readable) }
    if events & 4 != 0 { wanted.insert(.writable) }
    do { try poll?.start(wanted) } catch { return lose(BusError.noBus(reason: "\(error)")) }
    var deadline: UInt64 = 0
    guard sd_bus_get_timeout(bus, &deadline) >= 0, deadline != UInt64.max else { return timer?.stop() ?? () }
    // A time of the monotonic clock; 0 means now.
    let now = UInt64(max(0, loop.now / .microseconds(1)))
    timer?.start(after: .microseconds(Int64(clamping: deadline > now ? deadline - now : 0)))
  }

  private func lose(_ error: BusError) {
    failure = error
    poll?.stop()
    timer?.stop()
    for watch in Array(watches.values) { watch.report(.failure(error)) }
  }
}
