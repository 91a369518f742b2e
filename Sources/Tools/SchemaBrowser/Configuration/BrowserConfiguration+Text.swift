internal import Wire

extension BrowserConfiguration {
  /// The text of a file with this configuration, with comments that name what the feature has.
  ///
  /// Settings that are not made are shown with their defaults, as comments.
  package func text(for hub: HubDescription) -> String {
    let allTabs = BrowserTab.all(for: hub.schema, mayReadHub: true, hasJournal: true)
    var lines = [
      "# How storeterm shows \(hub.name): see storeterm.conf(5).", "", "[screen]",
      setting("title", title, default: hub.name),
      setting("tabs", tabs?.joined(separator: ", "), default: allTabs.map(\.id).joined(separator: ", ")),
      "", "[tab-titles]",
    ]
    lines += allTabs.map { setting($0.id, tabTitles[$0.id], default: $0.title) }
    hub.schema.visitPlaces { path, _, _, type in
      let columns = PageColumn.columns(of: type, in: hub.schema)
      guard !columns.isEmpty, !path.isEmpty else { return }
      let table = tables[path]
      lines += ["", "[table \(path)]"]
      lines.append(
        setting(
          "columns", table?.columns?.joined(separator: ", "), default: columns.map(\.name).joined(separator: ", ")))
      let sort = table?.sort.map { $0.column + ($0.isDescending ? " descending" : "") }
      lines.append(setting("sort", sort, default: columns[0].name))
      for (name, title) in (table?.titles ?? [:]).sorted(by: { $0.key < $1.key }) {
        lines.append("title.\(name) = \(title)")
      }
    }
    lines += ["", "[format]", "# dates is one of \(Self.words(ValueFormat.Dates.self))"]
    lines.append("dates = \(format.dates.rawValue)")
    lines += ["# durations is one of \(Self.words(ValueFormat.Durations.self))"]
    lines.append("durations = \(format.durations.rawValue)")
    lines.append("# decimals is all, or the maximum number of digits after the point")
    lines.append("decimals = \(format.decimals.map { "\($0)" } ?? "all")")
    lines += ["", "[keys]", "# A character, and the action that it sends. The actions are:"]
    lines += hub.actions.prefix(200).map { "#   \($0.name)" }
    lines += keys.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
    lines += ["", "[actions]", "# The actions that are not offered, separated by commas; a name hides all below it."]
    lines.append(setting("hidden", hiddenActions.isEmpty ? nil : hiddenActions.joined(separator: ", "), default: ""))
    return lines.flatMap(Self.folded).joined(separator: "\n") + "\n"
  }

  private func setting(_ key: String, _ value: String?, default text: String) -> String {
    value.map { "\(key) = \($0)" } ?? "#\(key) = \(text)"
  }

  private static func words<Word: RawRepresentable & CaseIterable>(_ type: Word.Type) -> String
  where Word.RawValue == String {
    Word.allCases.map(\.rawValue).joined(separator: ", ")
  }

  /// A list that is too long for a line is continued in indented lines.
  private static func folded(_ line: String) -> [String] {
    guard line.utf8.count > 100, line.contains(", ") else { return [line] }
    let isComment = line.hasPrefix("#")
    var (lines, current): ([String], String) = ([], "")
    for word in line.split(separator: " ", omittingEmptySubsequences: false) {
      if current.utf8.count + word.utf8.count > 96, !current.isEmpty {
        lines.append(current)
        current = (isComment ? "#   " : "  ") + word
      } else {
        current += (current.isEmpty ? "" : " ") + word
      }
    }
    return lines + [current]
  }
}
