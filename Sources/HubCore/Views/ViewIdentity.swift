import Senders
import Wire

/// What identifies the value of a view in the mark that survives a crash (`ActionMark`).
struct ViewIdentity {
  /// The name of the view.
  let name: String
  /// `[name, parameter or null, user or null]`.
  let bytes: [UInt8]
  let checksum: UInt64

  init(_ name: String, parameter: [UInt8]?, user: SystemUser?) {
    var encoder = CBOREncoder()
    encoder.arrayHeader(count: 3)
    encoder.text(name)
    if let parameter { encoder.byteString(parameter.span.bytes) } else { encoder.null() }
    if let user { encoder.unsigned(UInt64(user.id)) } else { encoder.null() }
    (self.name, bytes) = (name, encoder.bytes)
    checksum = Checksum.of(encoder.bytes.span.bytes)
  }

  /// The name in such bytes, of which a long parameter may have cut off the end; empty for others.
  static func name(in bytes: [UInt8]) -> String {
    var decoder = CBORDecoder(bytes.span.bytes)
    guard (try? decoder.arrayHeader()) == 3 else { return "" }
    return (try? decoder.text()) ?? ""
  }
}

extension ActionMark {
  /// Runs code of a view, which is recorded meanwhile. It returns false if there is more to do for the same value.
  func during(_ view: ViewIdentity, _ body: () -> Bool) -> Bool {
    begin(.view, view.bytes.span.bytes)
    let isFinished = body()
    end()
    if isFinished, interruptions.concernsOwn { succeeded(.view, checksum: view.checksum, name: view.name) }
    return isFinished
  }

  /// The interruption because of which a view's value is not computed; nil if it is.
  func refusal(of view: ViewIdentity) -> Interruption? {
    interruptions.refusal(of: .view, checksum: view.checksum, name: view.name)
  }
}
