#!/bin/sh
# truth.sh - what the guest's ftrace recorded is what the machine saw, call by call. SEEDS rounds.
exec python3 "$(dirname "$0")/truth.py" "${BUILD:-build}" "${SEEDS:-1}"
