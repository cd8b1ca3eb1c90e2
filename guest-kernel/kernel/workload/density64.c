/* density64.c - the workload `density64`: calls with 64 loop iterations each. */
#define WORKLOAD_BODY "density_body.h"
#define DENSITY_WORK  density64_work
#define DENSITY_ONCE  density64_once

enum { DENSITY_TURNS = 64, DENSITY_ALL = 4096 };

#include "workload_sets.h"

DEFINE_WORKLOAD(density64);
