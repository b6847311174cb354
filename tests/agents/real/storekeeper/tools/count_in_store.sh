#!/bin/sh
# Prints the number of items in stock, and records the request.
set -eu
printf '%s\n' "$1" >>asked.txt
cat stock.txt
