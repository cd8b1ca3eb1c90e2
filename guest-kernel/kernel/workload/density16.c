/* density16.c - the workload `density16`: calls with 16 loop iterations each. */
#define WORKLOAD_BODY "density_body.h"
#define DENSITY_WORK  density16_work
#define DENSITY_ONCE  density16_once

enum { DENSITY_TURNS = 16, DENSITY_ALL = 4096 };

#include "workload_sets.h"

DEFINE_WORKLOAD(density16);
