#!/bin/sh
# Says how many there are, and keeps a note of what it was asked.
set -eu
printf '%s\n' "$1" >>asked.txt
cat stock.txt
