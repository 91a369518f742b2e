internal import CustomDump
internal import Foundation
internal import Glibc

/// The symbols of the process's files: names of functions that programs do not export.
enum Symbols {
  /// The mangled name of the function at an address; nil if its file has no symbols.
  ///
  /// - Complexity: O(symbols of the file).
  @Sendable static func name(at address: UInt) -> String? {
    var info = LoadedSymbol()
    guard let pointer = UnsafeRawPointer(bitPattern: address), dladdr(pointer, &info) != 0, let base = info.base,
      let path = info.path
    else { return nil }
    let offset = UInt64(address - UInt(bitPattern: base))
    // The path of a program may be relative to a directory that it has since left.
    return [String(cString: path), "/proc/self/exe"].lazy
      .compactMap { try? Data(contentsOf: URL(filePath: $0), options: .alwaysMapped) }
      .compactMap { name(at: offset, in: $0) }.first
  }

  private static func name(at offset: UInt64, in file: Data) -> String? {
    file.withUnsafeBytes { bytes -> String? in
      guard bytes.count >= MemoryLayout<Elf64_Ehdr>.size, bytes.starts(with: [0x7f, 0x45, 0x4c, 0x46, 2]) else {
        return nil
      }
      let header = bytes.loadUnaligned(as: Elf64_Ehdr.self)
      let sections = (0..<Int(header.e_shnum)).compactMap { index in
        load(Elf64_Shdr.self, from: bytes, at: Int(header.e_shoff) + index * Int(header.e_shentsize))
      }
      guard let table = sections.first(where: { $0.sh_type == UInt32(SHT_SYMTAB) }),
        sections.indices.contains(Int(table.sh_link))
      else { return nil }
      let strings = sections[Int(table.sh_link)]
      let count = Int(table.sh_size) / MemoryLayout<Elf64_Sym>.size
      for index in 0..<count {
        let place = Int(table.sh_offset) + index * MemoryLayout<Elf64_Sym>.size
        guard let symbol = load(Elf64_Sym.self, from: bytes, at: place) else { return nil }
        guard symbol.st_info & 0xf == UInt8(STT_FUNC), symbol.st_value <= offset,
          offset < symbol.st_value + max(symbol.st_size, 1)
        else { continue }
        let start = Int(strings.sh_offset) + Int(symbol.st_name)
        guard start < bytes.count else { return nil }
        return String(decoding: bytes[start...].prefix { $0 != 0 }, as: UTF8.self)
      }
      return nil
    }
  }

  private static func load<T: BitwiseCopyable>(_: T.Type, from bytes: UnsafeRawBufferPointer, at place: Int) -> T? {
    guard place >= 0, place + MemoryLayout<T>.size <= bytes.count else { return nil }
    return bytes.loadUnaligned(fromByteOffset: place, as: T.self)
  }
}

/// The `Dl_info` of dladdr(3), which Swift's Glibc module lacks.
private struct LoadedSymbol {
  var path: UnsafePointer<CChar>?
  var base: UnsafeRawPointer?
  var name: UnsafePointer<CChar>?
  var address: UnsafeRawPointer?
}

@_silgen_name("dladdr")
private func dladdr(_ address: UnsafeRawPointer, _ info: UnsafeMutableRawPointer) -> CInt

/// The linker adds this function to those that a process calls at its start.
@section(".init_array") @used
private let installSymbols: @convention(c) () -> Void = {
  KeyPathNames.install(Symbols.name)
}
