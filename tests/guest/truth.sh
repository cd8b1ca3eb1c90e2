#!/bin/sh
# truth.sh - what the guest's ftrace recorded is what the machine saw, call by call. SEEDS rounds,
# one of which leaves two layouts out; SEED=N repeats the one of that seed.
exec python3 "$(dirname "$0")/truth.py" "${BUILD:-build}" "${SEED:-1}" "${SEED:-${SEEDS:-1}}"
