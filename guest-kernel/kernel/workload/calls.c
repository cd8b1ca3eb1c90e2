/* calls.c - the workload `calls`: fib, ackermann, and mutual recursion. */
#define WORKLOAD_BODY "calls_body.h"
#include "workload_sets.h"

DEFINE_WORKLOAD(calls);
