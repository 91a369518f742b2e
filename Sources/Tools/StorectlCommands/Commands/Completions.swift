package import ProgramOptions
internal import Wire

extension ProgramOptions.Command {
  nonisolated static let completions = Self(
    "completions", "print a script that completes words in a shell",
    arguments: [.init("SHELL", value: .words(["bash", "zsh", "fish"]))],
    details: [
      .text(
        """
        Paths and actions are completed from the hub's schema, ids of elements from its state. A hub that does not \
        answer within 500 ms, and a part of more than 1 MB, are not waited for.
        """),
      .code([
        "source <(storectl completions bash)", "source <(storectl completions zsh)",
        "storectl completions fish | source",
      ]),
    ])
}

extension Tool {
  func completions() throws(ToolFailure) {
    switch options.arguments.first {
    case "bash": print(Self.bash.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    case "zsh": print(Self.zsh.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    case "fish": print(Self.fish.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    default: throw ToolFailure(.usage, "there are completions for bash, zsh and fish only")
    }
  }

  // A line that ends in a space is a whole word.

  private static let bash = #"""
    # Completion of storectl for bash: source <(storectl completions bash)
    _storectl() {
      local line=${COMP_LINE:0:COMP_POINT} words=() word= begun= quote= open=0 next index char
      # The number of characters of the last word that readline keeps: it replaces only what follows an open quote or
      # a character of COMP_WORDBREAKS.
      local kept=0
      # The words as the shell would pass them, although the last one may end within quotes.
      for ((index = 0; index < ${#line}; index++)); do
        char=${line:index:1}
        case $quote:$char in
          \':\' | \":\") quote= ;;
          \':*) word+=$char ;;
          \":\\)
            next=${line:index+1:1}
            [[ $next == [\"\\\$\`] ]] && index=$((index + 1)) && char=$next
            word+=$char ;;
          \":*) word+=$char ;;
          :\' | :\") quote=$char begun=1 open=${#word} ;;
          :\\) index=$((index + 1)) word+=${line:index:1} begun=1 ;;
          :[[:space:]])
            [[ $begun ]] && words+=("$word")
            word= begun= kept=0 ;;
          *)
            word+=$char begun=1
            [[ $COMP_WORDBREAKS == *"$char"* ]] && kept=${#word} ;;
        esac
      done
      [[ $quote ]] && kept=$open
      COMPREPLY=()
      local found
      mapfile -t found < <("${COMP_WORDS[0]}" __complete "${words[@]:1}" "$word" 2>/dev/null)
      if [[ ${found[0]} == $'\001files' ]]; then
        compopt -o filenames +o nospace 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "${word:kept}")
        return
      fi
      local prefix=${word:0:kept}
      [[ ${#found[@]} == 1 && ${found[0]} == *' ' ]] && compopt +o nospace 2>/dev/null
      for word in "${found[@]}"; do
        [[ $word == "$prefix"* ]] || continue
        word=${word% }
        word=${word:kept}
        # Ids come from the state, and must not be commands.
        case $quote in
          \') word=${word//\'/\'\\\'\'} ;;
          \")
            word=${word//\\/\\\\}
            word=${word//\"/\\\"}
            word=${word//\$/\\\$}
            word=${word//\`/\\\`} ;;
          *) printf -v word %q "$word" ;;
        esac
        COMPREPLY+=("$word")
      done
    }
    complete -o nospace -F _storectl storectl
    """#

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

  private static let fish = #"""
    # Completion of storectl for fish: storectl completions fish | source
    function __storectl_complete
      set -l words (commandline -opc)
      set -l token (commandline -ct)
      # The word as the shell would pass it, although it may end within quotes.
      set -l word (string unescape -- "$token"; or string trim --left --chars '\'"' -- "$token")
      set -l program $words[1]
      set -e words[1]
      set -l found ($program __complete $words "$word" 2>/dev/null)
      if test "$found[1]" = \x01files
        __fish_complete_path "$word"
      else if set -q found[1]
        string replace --regex ' $' '' -- $found
      end
    end
    complete -c storectl -f -a '(__storectl_complete)'
    """#
}

/// Prints the completions of the last word for a shell. Called by the scripts of `storectl completions`.
package func printCompletions(of words: [String], _ options: ProgramOptions) -> Int32 {
  switch options.completion(of: words) {
  case .words(let words): for word in words { print(word) }
  case .files: print("\u{1}files")
  case .fromHub(let value, let beginning, let parsed):
    guard let tool = try? Tool(parsed) else { return 1 }
    return tool.complete(value, beginning)
  }
  return 0
}
