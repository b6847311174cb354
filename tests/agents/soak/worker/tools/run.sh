# Records that the tool NAME began to run, and for which server process, then takes SECONDS.
# Usage: sh tools/run.sh NAME SECONDS, in the agent's directory; the record is beside that directory.
set -eu
printf '%s %s %s\n' "$1" "$BATON_CALL_ID" "$PPID" >>../executions.log
sleep "$2"
printf '%s is done' "$1"
