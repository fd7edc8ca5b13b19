# Finds phrasing that CONTRIBUTING.md ("Language") rules out. Prints "file:line: [rule] text"; exits with 1 if there are any.

BEGIN {
  opening = "(What|Whatever|Of|Who|Whoever|The same|Whether it|Nothing|Else)"
  phrase = "is no|are no|there is none|are told|is told|told apart|is said|so many|but for|anew|nothing where|none where|whoever|" \
      "to be minded|of one's own|likewise"
}

function report(rule) { print FILENAME ":" FNR ": [" rule "] " $0; status = 1 }

FNR == 1 {
  is_markdown = FILENAME ~ /\.md$/
  is_help = FILENAME ~ /\.help$/
  is_code = 0
}
is_markdown && /^ *```/ { is_code = !is_code; next }
is_code { next }
{
  # Questions may begin with What and Who.
  is_question = /\?[ "*`)|;,]*$/
  if (tolower($0) ~ "(^|[^a-z-])(" phrase ")([^a-z-]|$)") report("phrase")
  if (is_question) next
  if ($0 ~ "(//[/!<]*|^ *#|^ *\\*|\") *" opening " ") report("opening")
  else if ((is_markdown || is_help) && $0 ~ "(^|[|>*-]|  ) *" opening " ") report("opening")
  else if (/TEST_CASE\(/ && tolower($0) ~ "test_case\\(\"" tolower(opening) " ") report("opening")
  else if ($0 ~ "[a-z`)][.] (Of|What|Whatever|Whoever) ") report("opening")
}
END { exit status }
