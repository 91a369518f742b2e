public import ProgramOptions
internal import Wire

extension Tool {
  func completions() throws(ToolFailure) {
    switch options.arguments.first {
    case "bash": print(Self.bash.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    case "zsh": print(Self.zsh.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    default: throw ToolFailure(.usage, "there are completions for bash and zsh only")
    }
  }

  // A line that ends in a space is a whole word.

  private static let bash = """
    # Completion of storectl for bash: source <(storectl completions bash)
    _storectl() {
      local IFS=$'\\n' line="${COMP_LINE:0:COMP_POINT}" words
      # Words as the shell sees them, not cut at = and :.
      read -r -d '' -a words < <(xargs -n1 printf '%s\\n' <<<"$line" 2>/dev/null; printf '\\0')
      [[ $line == *' ' ]] && words+=("")
      mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" __complete "${words[@]:1}" 2>/dev/null)
      if [[ ${COMPREPLY[0]} == $'\\001files' ]]; then
        compopt -o filenames +o nospace 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
      fi
    }
    complete -o nospace -F _storectl storectl
    """

  private static let zsh = """
    #compdef storectl
    # Completion of storectl for zsh: source <(storectl completions zsh)
    _storectl() {
      local line; local -a whole begun
      while IFS= read -r line; do
        case $line in
          $'\\001files') _files; return ;;
          *' ') whole+=("${line% }") ;;
          *) begun+=("$line") ;;
        esac
      done < <("${words[1]}" __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)
      compadd -a whole
      compadd -S '' -a begun
    }
    if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _storectl "$@"; else compdef _storectl storectl; fi
    """
}

/// Prints the completions of the last word for a shell. Called by the scripts of `storectl completions`.
public func printCompletions(of words: [String], _ options: ProgramOptions) -> Int32 {
  switch options.completion(of: words) {
  case .words(let words): for word in words { print(word) }
  case .files: print("\u{1}files")
  case .fromHub(let value, let beginning, let parsed):
    // Users do not wait long for completions.
    guard let tool = try? Tool(parsed) else { return 1 }
    return tool.complete(value, beginning)
  }
  return 0
}
