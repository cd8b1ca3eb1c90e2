/* deep.c - the workload `deep`: one recursion, sixty calls deep. */
#define WORKLOAD_BODY "deep_body.h"

enum { DEEP_LEVELS = 61 };

#include "workload_sets.h"

DEFINE_WORKLOAD(deep);
