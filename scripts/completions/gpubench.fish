# fish completion for gpubench; the program prints the candidates.
function __gpubench_candidates
    set -l words (commandline -opc) (commandline -ct)
    $words[1] complete $words[2..-1] 2>/dev/null
end
complete -c gpubench -a '(__gpubench_candidates)'
