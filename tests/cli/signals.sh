#!/bin/sh
# signals.sh - the quick part of signals.py, which has all states in make check-work.
. "$(dirname "$0")/../claims.sh"
exec "$claims_path/cli/signals.py" --quick
