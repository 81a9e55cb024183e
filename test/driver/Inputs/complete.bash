# complete.bash LINE: what bash would offer at the end of the line, each in brackets. Words are divided as readline does.
source <(tz completion bash)
complete -p tz >&2
COMP_LINE=$1
COMP_POINT=${#COMP_LINE}
COMP_TYPE=9
mapfile -t COMP_WORDS < <(grep -oE '[^[:space:]:=]+|[:=]+' <<<"$COMP_LINE")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_tz tz "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '[%s]\n' "${COMPREPLY[@]}"
