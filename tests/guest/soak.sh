#!/bin/sh
# soak.sh - tracers, filters, options, buffers and modules switched at random under load, until
# INSNS instructions have been run: no hang, no leak, no finding, no word of complaint.
# SEED repeats a run: SEED=3 INSNS=... tests/guest/soak.sh
exec python3 "$(dirname "$0")/soak.py" "${BUILD:-build}" "${INSNS:-100000000}" ${SEED:+"$SEED"}
