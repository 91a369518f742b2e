import Testing
import Wire

/// The error for each kind of wrong item in each message names the true cause.
@Suite struct MessageErrorTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let message: any Message.Type
    let hex: String
    let description: String

    init(_ message: any Message.Type, _ hex: String, _ description: String) {
      (self.message, self.hex, self.description) = (message, hex, description)
    }

    var testDescription: String { "\(message) \(hex)" }
  }

  private static let id = "50" + String(repeating: "07", count: 16)
  private static let name129 = "7881" + String(repeating: "61", count: 129)
  private static let name257 = "790101" + String(repeating: "61", count: 257)
  private static let reason4097 = "791001" + String(repeating: "61", count: 4097)
  private static let repeated = "a key or a member equals another one"
  private static let unordered = "keys, members or positions are not in ascending order"

  static let hellos: [Case] = [
    // Missing.
    Case(Hello.self, "", "byte 0: the bytes end inside an item"),
    Case(Hello.self, "a0", "byte 0: field 0 of Hello is missing"),
    Case(Hello.self, "a10101", "byte 0: field 0 of Hello is missing"),
    Case(Hello.self, "a10001", "byte 0: field 1 of Hello is missing"),
    // Out of range.
    Case(Hello.self, "a200000100", "byte 4: the number does not fit a protocol version, which is 1 or more"),
    Case(Hello.self, "a3000101010478" + name129.dropFirst(2), "byte 6: a length of 129 exceeds the limit of 128"),
    Case(Hello.self, "a30001010102" + "51" + id.dropFirst(2) + "07", "byte 6: a length of 17 exceeds the limit of 16"),
    // Of a wrong type.
    Case(Hello.self, "80", "byte 0: expected a map"),
    Case(Hello.self, "f6", "byte 0: expected a map"),
    Case(Hello.self, "a200200101", "byte 2: expected an unsigned integer"),
    Case(Hello.self, "a20001016131", "byte 4: expected an unsigned integer"),
    Case(Hello.self, "a3000101010201", "byte 6: expected a byte string"),
    Case(Hello.self, "a300010101024107", "byte 6: expected a session of 16 bytes"),
    Case(Hello.self, "a40001010102\(id)03f6", "byte 24: expected an unsigned integer"),
    Case(Hello.self, "a3000101010401", "byte 6: expected text"),
    Case(Hello.self, "a300010101044161", "byte 6: expected text"),
    Case(Hello.self, "a3000101010401", "byte 6: expected text"),
    Case(Hello.self, "a300010101054107", "byte 6: expected a fingerprint of 32 bytes"),
    Case(Hello.self, "a3000101010620", "byte 6: expected an unsigned integer"),
    Case(Hello.self, "a2000161310101", "byte 3: expected an unsigned integer"),
    // Repeated and misplaced.
    Case(Hello.self, "a300010101" + "0101", "byte 5: \(repeated)"),
    Case(Hello.self, "a201010001", "byte 3: \(unordered)"),
    // Not in the one form, also in a field that is skipped.
    Case(Hello.self, "a200180101" + "01", "byte 2: a number or length is not in its shortest form"),
    Case(Hello.self, "a30001010104" + "61ff", "byte 6: text is not UTF-8"),
    Case(Hello.self, "a30001010104" + "610a", "byte 6: the character U+A is not allowed in a name"),
    Case(Hello.self, "a30001010109" + "9f", "byte 6: indefinite lengths are not allowed"),
    Case(Hello.self, "a30001010109" + "a201000100", "byte 9: \(repeated)"),
    Case(Hello.self, "a20001010100", "byte 5: bytes follow the end of the item"),
    Case(Hello.self, "a200", "byte 0: the bytes end inside an item"),
  ]

  static let welcomes: [Case] = [
    Case(Welcome.self, "a101\(id)", "byte 0: field 0 of Welcome is missing"),
    Case(Welcome.self, "a10001", "byte 0: field 1 of Welcome is missing"),
    Case(Welcome.self, "a20020" + "01\(id)", "byte 2: expected an unsigned integer"),
    Case(Welcome.self, "a200010101", "byte 4: expected a byte string"),
    Case(Welcome.self, "a3000101\(id)02f6", "byte 22: expected a boolean"),
    Case(Welcome.self, "a3000101\(id)0320", "byte 22: expected an unsigned integer"),
    Case(Welcome.self, "a3000101\(id)04f4", "byte 22: expected an unsigned integer"),
    Case(Welcome.self, "a3000101\(id)0500", "byte 22: expected text"),
    Case(Welcome.self, "a3000101\(id)05\(name257)", "byte 22: a length of 257 exceeds the limit of 256"),
    Case(Welcome.self, "a3000101\(id)0600", "byte 22: expected a byte string"),
    Case(Welcome.self, "a3000101\(id)07f6", "byte 22: expected an unsigned integer"),
    Case(Welcome.self, "a3000101\(id)0801", "byte 22: expected a boolean"),
    Case(Welcome.self, "a300010001" + "01\(id)", "byte 3: \(repeated)"),
  ]

  static let attachments: [Case] = [
    Case(Attach.self, "80", "byte 0: expected a map"),
    Case(Attach.self, "a10000", "byte 2: expected an array"),
    Case(Attach.self, "a100816161", "byte 3: expected an unsigned integer"),
    Case(Attach.self, "a10081f6", "byte 3: expected an unsigned integer"),
    Case(Attach.self, "a1008180", "byte 3: expected an id or a window"),
    Case(Attach.self, "a10081820000", "byte 3: expected a window with elements"),
    Case(Attach.self, "a100811b0000000000000001", "byte 3: a number or length is not in its shortest form"),
    Case(
      Attach.self, "a1009821" + String(repeating: "00", count: 33), "byte 2: a length of 33 exceeds the limit of 32"),
    Case(Attach.self, "a1016131", "byte 2: expected an unsigned integer"),
    Case(Attach.self, "a102f6", "byte 2: expected an unsigned integer"),
    Case(Attach.self, "a201000100", "byte 3: \(repeated)"),
    Case(Attach.self, "a201000080", "byte 3: \(unordered)"),
  ]

  static let outcomes: [Case] = [
    Case(Rejected.self, "a0", "byte 0: expected an array"),
    Case(Rejected.self, "820101", "byte 0: expected an array of 3 items"),
    Case(Rejected.self, "83200160", "byte 1: expected an unsigned integer"),
    Case(Rejected.self, "8301f660", "byte 2: expected an unsigned integer"),
    Case(Rejected.self, "83010100", "byte 3: expected text"),
    Case(Rejected.self, "830101" + reason4097, "byte 3: a length of 4097 exceeds the limit of 4096"),
    Case(PeerError.self, "8101", "byte 0: expected an array of 2 items"),
    Case(PeerError.self, "82f460", "byte 1: expected an unsigned integer"),
    Case(PeerError.self, "820101", "byte 2: expected text"),
    Case(PeerError.self, "8201" + reason4097, "byte 2: a length of 4097 exceeds the limit of 4096"),
    Case(Goodbye.self, "83016000", "byte 0: expected an array of 2 items"),
    Case(Goodbye.self, "826160" + "60", "byte 1: expected an unsigned integer"),
    Case(Goodbye.self, "8201f6", "byte 2: expected text"),
    Case(Ping.self, "20", "byte 0: expected an unsigned integer"),
    Case(Ping.self, "0000", "byte 1: bytes follow the end of the item"),
    Case(Pong.self, "f6", "byte 0: expected an unsigned integer"),
    Case(Pong.self, "1817", "byte 0: a number or length is not in its shortest form"),
  ]

  @Test(arguments: hellos + welcomes + attachments + outcomes)
  func theErrorNamesTheCause(_ wrong: Case) {
    let bytes = CBORVectorTests.bytes(wrong.hex)
    do throws(WireError) {
      _ = try wrong.message.init(decoding: bytes.span.bytes)
      Issue.record("\(wrong.hex) was read")
    } catch {
      #expect("\(error)" == wrong.description)
    }
  }

  @Test(arguments: [
    ("a0", "byte 0: expected an array"), ("820000", "byte 0: expected an array of 3 items"),
    ("83200040", "byte 1: expected an unsigned integer"), ("8300f640", "byte 2: expected an unsigned integer"),
    ("83000060", "byte 3: expected a byte string"), ("83000040f6", "byte 4: bytes follow the end of the item"),
  ])
  func thatOfAPieceOfASnapshotToo(hex: String, description: String) {
    let bytes = CBORVectorTests.bytes(hex)
    do throws(WireError) {
      _ = try SnapshotPiece(CBORDecoder(bytes.span.bytes)).offset
      Issue.record("\(hex) was read")
    } catch {
      #expect("\(error)" == description)
    }
  }
}
