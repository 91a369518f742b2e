import Foundation
import ServiceManager
import Testing

@testable import StoreHub

/// What a process takes out of the box of the one before.
@Suite struct InheritanceTests {
  /// A client whose socket stays open here would wait for answers for ever.
  @Test func whatIsNoConnectionOfItsOwnIsClosed() throws {
    var (sockets, pipes): ([CInt], [CInt]) = ([-1, -1], [-1, -1])
    try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0, &sockets) == 0)
    try #require(pipe(&pipes) == 0)
    let (client, writer) = (sockets[0], pipes[1])
    defer { for descriptor in [client, writer] { close(descriptor) } }
    guard let record = MemoryFile(name: "record", containing: ([0] as [UInt8]).span.bytes) else {
      Issue.record("no memory file")
      return
    }
    // The connection stands twice in it, as after two calls for the same one.
    let contents = [record.descriptor, sockets[1], pipes[0], sockets[1]]
    guard let box = DescriptorBox(containing: contents) else {
      Issue.record("no box")
      return
    }
    let inode = try #require(Inheritance.inode(of: sockets[1]))
    for descriptor in [sockets[1], pipes[0]] { close(descriptor) }

    var inheritance = Inheritance()
    inheritance.open(box.descriptor)
    #expect(Array(inheritance.connections.keys) == [inode])
    #expect(inheritance.refusal != nil)
    // No process reads from the pipe any more.
    var state = pollfd(fd: writer, events: Int16(POLLOUT), revents: 0)
    #expect(poll(&state, 1, 0) == 1 && Int32(state.revents) & Int32(POLLERR) != 0)
    for descriptor in inheritance.connections.values { close(descriptor) }
    var byte: UInt8 = 0
    #expect(recv(client, &byte, 1, CInt(MSG_DONTWAIT)) == 0)
  }
}
