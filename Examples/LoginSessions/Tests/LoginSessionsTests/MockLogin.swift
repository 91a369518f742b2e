import CSDBus
import SystemBus

/// A mock of logind's manager, on a separate bus.
final class MockLogin {
  var properties: [String: BusValue] = [
    "NCurrentSessions": .unsigned(2), "PreparingForShutdown": .bool(false),
    "BlockInhibited": .string("shutdown:sleep"),
  ]
  private(set) var isServing = false
  private let bus: SystemBus
  private let path = "/org/freedesktop/login1"
  private let name = "org.freedesktop.login1"
  private let interface = "org.freedesktop.login1.Manager"

  init(bus: SystemBus) {
    self.bus = bus
    let code = sd_bus_add_object(
      bus.connection, nil, path,
      { message, context, _ in
        guard let message, let context, sd_bus_message_is_method_call(message, nil, "GetAll") > 0 else { return 0 }
        let login = UncheckedPointer(context)
        return MainActor.assumeIsolated {
          Unmanaged<MockLogin>.fromOpaque(login.pointer).takeUnretainedValue().answer(message)
        }
      }, Unmanaged.passUnretained(self).toOpaque())
    precondition(code >= 0)
  }

  func serve() {
    sd_bus_request_name_async(
      bus.connection, nil, name, 0,
      { _, context, _ in
        guard let context else { return 0 }
        let login = UncheckedPointer(context)
        MainActor.assumeIsolated {
          Unmanaged<MockLogin>.fromOpaque(login.pointer).takeUnretainedValue().isServing = true
        }
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
    bus.prepare()
  }

  func leave() {
    sd_bus_release_name_async(bus.connection, nil, name, { _, _, _ in 0 }, nil)
    bus.prepare()
  }

  func emit(_ signal: String) {
    var message: OpaquePointer?
    sd_bus_message_new_signal(bus.connection, &message, path, interface, signal)
    sd_bus_send(bus.connection, message, nil)
    sd_bus_message_unref(message)
    bus.prepare()
  }

  private func answer(_ call: OpaquePointer) -> CInt {
    var reply: OpaquePointer?
    sd_bus_message_new_method_return(call, &reply)
    sd_bus_message_open_container(reply, CChar(UInt8(ascii: "a")), "{sv}")
    for (name, value) in properties {
      sd_bus_message_open_container(reply, CChar(UInt8(ascii: "e")), "sv")
      sd_bus_message_append_basic(reply, CChar(UInt8(ascii: "s")), name)
      append(value, to: reply)
      sd_bus_message_close_container(reply)
    }
    // A property of a type that the client ignores.
    sd_bus_message_open_container(reply, CChar(UInt8(ascii: "e")), "sv")
    sd_bus_message_append_basic(reply, CChar(UInt8(ascii: "s")), "KillOnlyUsers")
    sd_bus_message_open_container(reply, CChar(UInt8(ascii: "v")), "as")
    sd_bus_message_open_container(reply, CChar(UInt8(ascii: "a")), "s")
    for _ in 0..<3 { sd_bus_message_close_container(reply) }
    sd_bus_message_close_container(reply)
    sd_bus_send(bus.connection, reply, nil)
    sd_bus_message_unref(reply)
    return 1
  }

  private func append(_ value: BusValue, to reply: OpaquePointer?) {
    func append(_ type: StaticString, _ bytes: UnsafeRawPointer) {
      let signature = "\(type)"
      sd_bus_message_open_container(reply, CChar(UInt8(ascii: "v")), signature)
      sd_bus_message_append_basic(reply, CChar(type.utf8Start.pointee), bytes)
      sd_bus_message_close_container(reply)
    }
    switch value {
    case .bool(let value): withUnsafePointer(to: CInt(value ? 1 : 0)) { append("b", $0) }
    case .integer(let value): withUnsafePointer(to: value) { append("x", $0) }
    case .unsigned(let value): withUnsafePointer(to: value) { append("t", $0) }
    case .double(let value): withUnsafePointer(to: value) { append("d", $0) }
    case .string(let value): value.withCString { append("s", $0) }
    }
  }
}

/// A pointer from a callback of sd-bus, which is called on the loop's thread. Unchecked: it does not leave that thread.
private nonisolated struct UncheckedPointer: @unchecked Sendable {
  let pointer: UnsafeMutableRawPointer
  init(_ pointer: UnsafeMutableRawPointer) { self.pointer = pointer }
}
