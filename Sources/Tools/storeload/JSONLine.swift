internal import JSONParser
import JSONText
import ProgramOptions

/// A JSON value from a file with one value per line, or one over several lines.
struct JSONLine {
  let value: JSONValue

  static func all(in text: String, of path: String) throws(UsageError) -> [JSONLine] {
    do throws(JSONError) {
      return [JSONLine(value: try JSONValue(parsing: text))]
    } catch {
      var lines: [JSONLine] = []
      for line in text.split(separator: "\n") {
        do throws(JSONError) {
          lines.append(JSONLine(value: try JSONValue(parsing: String(line))))
        } catch {
          throw UsageError("\(path): \(error)")
        }
      }
      return lines
    }
  }
}
