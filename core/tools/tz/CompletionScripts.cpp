//===- CompletionScripts.cpp - what shells run to complete a command ------===//
//
// What   One script a shell. Each asks `tz __complete WORDS...` and hands over
//        what it prints.
// Why    All that is known of commands stays in the program; a script knows
//        only how its shell wants to be told.
//===----------------------------------------------------------------------===//
#include "core/tools/tz/Completion.h"

namespace tz::tool {

// Bash divides words at ':' and '=', and replaces the last part alone.
static constexpr std::string_view Bash =
    R"script(# Completion of tz for bash. Made by 'tz completion bash'.
_tz() {
  local line=${COMP_LINE:0:COMP_POINT} reply kind= word
  local -a words replies=()
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  local current=${words[${#words[@]}-1]}
  local program=${words[0]/#\~/$HOME}
  COMPREPLY=()
  mapfile -t replies < <("$program" __complete "${words[@]:1}" 2>/dev/null)
  local kept=${current%"${current##*[:=]}"}
  for reply in "${replies[@]}"; do
    case $reply in
      :files) kind=-f ;;
      :folders) kind=-d ;;
      *)
        word=${reply%%$'\t'*}
        COMPREPLY+=("${word#"$kept"}")
        ;;
    esac
  done
  if [[ -n $kind ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen $kind -- "${current#"$kept"}")
  elif [[ ${#COMPREPLY[@]} -gt 0 && ${COMPREPLY[0]} == *[=:/,] ]]; then
    compopt -o nospace 2>/dev/null
  fi
}
complete -F _tz tz
)script";

static constexpr std::string_view Zsh = R"script(#compdef tz
# Completion of tz for zsh. Made by 'tz completion zsh'.
_tz() {
  local reply kind text description
  local -a open closed replies
  replies=("${(@f)$("${(Q)words[1]}" __complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
  for reply in "${replies[@]}"; do
    case $reply in
      '') ;;
      :files) kind=files ;;
      :folders) kind=folders ;;
      *)
        text=${reply%%$'\t'*}
        description=${reply#*$'\t'}
        text=${text//:/\\:}
        [[ -n $description ]] && description=":$description"
        case $text in
          *[=:/,]) open+=("$text$description") ;;
          *) closed+=("$text$description") ;;
        esac
        ;;
    esac
  done
  local found=1
  if (( ${#closed} )); then _describe -V 'tz' closed && found=0; fi
  if (( ${#open} )); then _describe -V 'tz' open -S '' && found=0; fi
  case $kind in
    files) _files && found=0 ;;
    folders) _files -/ && found=0 ;;
  esac
  return found
}
if [[ $funcstack[1] == _tz ]]; then
  _tz "$@"
else
  compdef _tz tz
fi
)script";

static constexpr std::string_view Fish =
    R"script(# Completion of tz for fish. Made by 'tz completion fish'.
function __tz_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for reply in (command $words[1] __complete $words[2..-1] "$current" 2>/dev/null)
        switch $reply
            case :files
                __fish_complete_path $current
            case :folders
                __fish_complete_directories $current
            case '*'
                echo $reply
        end
    end
end
complete -c tz -f -a '(__tz_complete)'
)script";

std::string_view completionScript(std::string_view shell) {
  return shell == "bash"   ? Bash
         : shell == "zsh"  ? Zsh
         : shell == "fish" ? Fish
                           : std::string_view();
}

} // namespace tz::tool
