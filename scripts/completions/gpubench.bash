# bash completion for gpubench; the program prints the candidates.
_gpubench() {
  local words
  # Bash splits words at ':' and '=', but the program needs the words as typed.
  read -r -a words <<<"${COMP_LINE:0:COMP_POINT}"
  [[ ${COMP_LINE:0:COMP_POINT} == *' ' ]] && words+=('')
  mapfile -t COMPREPLY < <("${words[0]}" complete "${words[@]:1}" 2>/dev/null)
  # Bash replaces only the part after the last ':' of the word.
  local typed=${words[${#words[@]} - 1]}
  [[ $typed == *:* ]] && COMPREPLY=("${COMPREPLY[@]#"${typed%:*}":}")
}
complete -o default -F _gpubench gpubench
