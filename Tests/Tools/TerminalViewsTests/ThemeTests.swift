import Glibc
import Testing

@testable import Terminal

@Suite struct ThemeTests {
  /// The eight colours of xterm and of the Linux console.
  private static let palettes: [[(Double, Double, Double)]] = [
    [(0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205), (229, 229, 229)],
    [(0, 0, 0), (170, 0, 0), (0, 170, 0), (170, 85, 0), (0, 0, 170), (170, 0, 170), (0, 170, 170), (170, 170, 170)],
  ]

  /// The contrast with white, as WCAG 2 defines it.
  private func contrastWithWhite(_ color: (Double, Double, Double)) -> Double {
    func linear(_ value: Double) -> Double {
      value / 255 <= 0.04045 ? value / 255 / 12.92 : pow((value / 255 + 0.055) / 1.055, 2.4)
    }
    return 1.05 / (0.2126 * linear(color.0) + 0.7152 * linear(color.1) + 0.0722 * linear(color.2) + 0.05)
  }

  @Test(arguments: [8, 16, 88] as [CInt]) func onWhiteEvenFewColoursAreReadable(count: CInt) {
    for palette in Self.palettes {
      for color in Style.Color.allCases {
        guard let number = Theme.light.number(of: color, count: count) else { continue }
        #expect(contrastWithWhite(palette[Int(number)]) >= 4.5, "\(color)")
        // Bold text would be brighter than the palette says.
        #expect(!Theme.light.drawn(Style(color, bold: true), count: count).isBold)
      }
    }
    #expect(Theme.light.drawn(Style(bold: true), count: count).isBold)
    #expect(Theme.light.drawn(Style(.red, bold: true), count: 256).isBold)
    #expect(Theme.dark.drawn(Style(.red, bold: true), count: count).isBold)
  }

  /// A connection that is lost must not look like one that is live.
  @Test(arguments: [8, 256] as [CInt]) func theColoursOfTheConnectionDiffer(count: CInt) {
    for theme in [Theme.dark, .light] {
      let numbers = [Style.Color.red, .green, .yellow].map { theme.number(of: $0, count: count) }
      #expect(Set(numbers).count == 3)
    }
  }
}
