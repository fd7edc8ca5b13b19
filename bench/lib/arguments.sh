# shellcheck shell=bash
# The command line of alternate.sh.

plan=
resumed=
output=
is_dry_run=
pairs=
name=
measure=
figure_a=
figure_b=
labels=()
only=()
words=()

# Sets the variables above.
parse_arguments() {
  while (($# > 0)); do
    case $1 in
      -h | --help) usage; exit 0 ;;
      -n | --dry-run)
        # shellcheck disable=SC2034
        is_dry_run=yes
        ;;
      --) shift; words=("$@"); break ;;
      --pairs | --name | --label | --measure | --figure | --figure-[ab] | --plan | --only | --json | --resume)
        (($# > 1)) || refuse "$1 needs a value; see --help"
        set_option "$1" "$2"
        shift
        ;;
      -?*) refuse "unknown option '$1'; see --help" ;;
      *) refuse "'$1' is not expected here; a command comes after --" ;;
    esac
    shift
  done
  check_arguments
}

# set_option OPTION VALUE
set_option() {
  [[ -n $2 ]] || refuse "$1 needs a value; see --help"
  case $1 in
    --pairs) pairs=$2 ;;
    --name) name=$2 ;;
    --label) labels+=("$2") ;;
    --measure) measure=$2 ;;
    --figure) figure_a=$2 figure_b=$2 ;;
    --figure-a) figure_a=$2 ;;
    --figure-b) figure_b=$2 ;;
    --plan) plan=$2 ;;
    --only) only+=("$2") ;;
    --json) output=$(absolute "$2") ;;
    --resume) resumed=$2 ;;
  esac
}

absolute() {
  case $1 in
    /*) printf '%s\n' "$1" ;;
    *) printf '%s\n' "$PWD/$1" ;;
  esac
}

check_arguments() {
  local of_commands=$name${labels[*]+x}$measure$figure_a$figure_b${words[*]+x}
  if [[ -n $resumed ]]; then
    [[ -z $plan$pairs$of_commands${only[*]+x} ]] || refuse "--resume takes the comparison from its journal; leave all but --json out"
  elif [[ -n $plan ]]; then
    [[ -z $of_commands ]] || refuse "--plan says what is compared; only --pairs, --only, --json and -n go with it"
  else
    [[ -n ${words[*]+x} ]] || refuse "nothing to compare; use -- COMMAND_A -- COMMAND_B, or --plan FILE"
    [[ -z ${only[*]+x} ]] || refuse "--only chooses cases of a plan; use it with --plan"
  fi
  case $pairs in *[!0-9]*) refuse "--pairs $pairs: is no whole number; e.g. --pairs 5" ;; esac
  if [[ -n $output && -d $output ]]; then refuse "--json $output: is a folder; name a file"; fi
}
