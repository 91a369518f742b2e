internal import CSDBus

/// A watch on the properties of one object on a bus, until it is cancelled or released.
@MainActor
public final class BusWatch {
  private weak var bus: SystemBus?
  private let service: String
  private let path: String
  private let interface: String
  private var onChange: (@MainActor (Result<[String: BusValue], BusError>) -> Void)?
  private var connection: OpaquePointer?
  private var slots: [OpaquePointer] = []
  /// The pending call for the properties.
  private var call: OpaquePointer?
  /// True if a signal arrived during that call.
  private var isOutdated = false

  init(
    bus: SystemBus, service: String, path: String, interface: String,
    _ onChange: @escaping @MainActor (Result<[String: BusValue], BusError>) -> Void
  ) {
    (self.bus, self.service, self.path, self.interface) = (bus, service, path, interface)
    self.onChange = onChange
  }

  func begin(on connection: OpaquePointer) {
    self.connection = connection
    let rules = [
      "type='signal',sender='\(service)',path='\(path)'",
      // The start and the end of the service.
      "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(service)'",
    ]
    for rule in rules {
      var slot: OpaquePointer?
      let code = sd_bus_add_match_async(
        connection, &slot, rule,
        { _, context, _ in
          BusWatch.of(context)?.fetch()
          return 0
        }, nil, Unmanaged.passUnretained(self).toOpaque())
      guard code >= 0, let slot else { return fail(code) }
      slots.append(slot)
    }
    fetch()
  }

  /// Requests all properties. If a signal arrives before the answer, requests them once more.
  private func fetch() {
    guard let connection else { return }
    guard call == nil else {
      isOutdated = true
      return
    }
    isOutdated = false
    var message: OpaquePointer?
    var code = sd_bus_message_new_method_call(
      connection, &message, service, path, "org.freedesktop.DBus.Properties", "GetAll")
    guard code >= 0, let message else { return fail(code) }
    defer { sd_bus_message_unref(message) }
    code = interface.withCString { sd_bus_message_append_basic(message, CChar(UInt8(ascii: "s")), $0) }
    guard code >= 0 else { return fail(code) }
    var slot: OpaquePointer?
    code = sd_bus_call_async(
      connection, &slot, message,
      { reply, context, _ in
        if let reply { BusWatch.of(context)?.answered(reply) }
        return 0
      }, Unmanaged.passUnretained(self).toOpaque(), 0)
    guard code >= 0 else { return fail(code) }
    call = slot
  }

  private func answered(_ reply: OpaquePointer) {
    call = sd_bus_slot_unref(call)
    if isOutdated { return fetch() }
    if let error = sd_bus_message_get_error(reply) {
      let reason = error.pointee.message ?? error.pointee.name
      report(.failure(.refused(service: service, reason: reason.map { String(cString: $0) } ?? "no reason given")))
    } else {
      report(.success(BusMessage(pointer: reply).readProperties()))
    }
  }

  private func fail(_ code: CInt) {
    report(.failure(.refused(service: service, reason: BusError.words(for: code))))
  }

  func report(_ result: Result<[String: BusValue], BusError>) { onChange?(result) }

  /// Stops the watch; there are no calls after it.
  public func cancel() {
    bus?.forget(self)
    forget()
  }

  /// Releases the connection.
  func forget() {
    onChange = nil
    call = sd_bus_slot_unref(call)
    for slot in slots { sd_bus_slot_unref(slot) }
    slots = []
    connection = nil
  }

  private nonisolated static func of(_ context: UnsafeMutableRawPointer?) -> BusWatch? {
    // sd-bus calls back from `sd_bus_process`, on the loop's thread; a watch removes its slots before it is released.
    context.map { Unmanaged<BusWatch>.fromOpaque($0).takeUnretainedValue() }
  }
}
