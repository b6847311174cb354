#!/bin/sh
# Prints the weather of one place. A real tool would ask a weather service here; this one always reports fine weather,
# so that the example works without a network.
set -eu

if [ "$#" -ne 1 ] || [ -z "$1" ]; then
  echo "usage: get_weather.sh LOCATION" >&2
  exit 2
fi

printf 'The weather in %s is 72°F, sunny, humidity 65%%.\n' "$1"
