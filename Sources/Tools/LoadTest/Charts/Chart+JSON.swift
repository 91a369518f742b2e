package import JSONText

extension Chart {
  /// Parses `{"title": …, "x": {"label", "unit", "log"}, "y": …, "series": [{"name", "points": [[x, y] …]} …]}`.
  ///
  /// - Throws: `LoadError.scenario`, which names the missing value.
  package init(_ json: JSONValue) throws(LoadError) {
    guard case .string(let title)? = json["title"], let x = Axis(json["x"]), let y = Axis(json["y"]),
      case .array(let lines)? = json["series"]
    else { throw .scenario("a chart needs a title, x and y with labels, and series") }
    var series: [Series] = []
    for line in lines {
      guard case .string(let name)? = line["name"], case .array(let points)? = line["points"] else {
        throw .scenario("each series needs a name and points")
      }
      series.append(
        Series(
          name,
          points.compactMap { point in
            guard case .array(let pair) = point, pair.count == 2, let x = pair[0].double, let y = pair[1].double else {
              return nil
            }
            return Point(x, y)
          }))
    }
    self.init(title, x: x, y: y, series)
  }
}

extension Chart.Axis {
  fileprivate init?(_ json: JSONValue?) {
    guard let json, case .string(let label)? = json["label"] else { return nil }
    var unit = Chart.Unit.number
    if case .string(let name)? = json["unit"], let known = Chart.Unit(rawValue: name) { unit = known }
    self.init(label, unit, isLogarithmic: json["log"] == .bool(true))
  }
}

extension JSONValue {
  /// The value as a number, if it is one.
  var double: Double? {
    if case .number(let digits) = self { Double(digits) } else { nil }
  }
}
