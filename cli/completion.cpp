#include "completion.hpp"

#include "choices.hpp"

namespace sotto::cli {
namespace {

constexpr const char* kCompletionFooter =
    R"(The script asks the program for what may come next, so it knows every command, option and model.

Examples:
  source <(sotto completion bash)
  sotto completion bash > ~/.local/share/bash-completion/completions/sotto
  sotto completion zsh > ~/.zfunc/_sotto
  sotto completion fish > ~/.config/fish/completions/sotto.fish

The folder of the zsh script must be in fpath before compinit runs.)";

// Bash splits words at '=', so --policy=paper arrives as three words and only what follows '=' may be
// replaced.
constexpr const char* kBash = R"(# bash completion for sotto
_sotto() {
  local -a words=() lines=()
  local i word line last
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((${#words[@]})) && [[ $word == "=" || (${COMP_WORDS[i - 1]} == "=" && ${words[-1]} == -*) ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
  done
  mapfile -t lines < <("$1" __complete "${words[@]}" 2>/dev/null)
  ((${#lines[@]})) || return
  last=${words[-1]}
  COMPREPLY=()
  for line in "${lines[@]::${#lines[@]}-1}"; do
    line=${line%%$'\t'*}
    [[ $last == -*=* ]] && line=${line#*=}
    COMPREPLY+=("$line")
  done
  # Where nothing else fits, bash completes paths by itself.
  [[ ${lines[-1]} == ":files" ]] && compopt -o default 2>/dev/null
  return 0
}
complete -F _sotto sotto
)";

constexpr const char* kZsh = R"(#compdef sotto
# zsh completion for sotto
_sotto() {
  local -a lines candidates
  local line
  lines=("${(@f)$(${words[1]} __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in "${(@)lines[1,-2]}"; do
    candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done
  (( $#candidates )) && _describe sotto candidates
  if [[ $lines[-1] == ":files" ]]; then
    compset -P '-*='
    _files
  fi
}
if [[ $funcstack[1] == _sotto ]]; then
  _sotto "$@"
else
  compdef _sotto sotto
fi
)";

constexpr const char* kFish = R"(# fish completion for sotto
function __sotto_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines ($words[1] __complete $words[2..-1] "$current" 2>/dev/null)
    test (count $lines) -gt 0; or return
    test (count $lines) -gt 1; and printf '%s\n' $lines[1..-2]
    if test $lines[-1] = ":files"
        if set -l option (string match -r '^-.*?=' -- $current)
            printf "$option%s\n" (__fish_complete_path (string replace -r '^-.*?=' '' -- $current))
        else
            __fish_complete_path $current
        end
    end
end
complete -c sotto -f -a '(__sotto_complete)'
)";

Result<void> run(const std::string& shell) {
  SOTTO_ASSIGN(const std::size_t index, parse_choice("SHELL", shell, kShellNames));
  return print(index == 0 ? kBash : index == 1 ? kZsh : kFish);
}

}  // namespace

Action add_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "Print a script that completes commands in a shell");
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required();
  command->footer(kCompletionFooter);
  return [shell] { return run(*shell); };
}

}  // namespace sotto::cli
