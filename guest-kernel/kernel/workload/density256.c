/* density256.c - the workload `density256`: calls with 256 loop iterations each. */
#define WORKLOAD_BODY "density_body.h"
#define DENSITY_WORK  density256_work
#define DENSITY_ONCE  density256_once

enum { DENSITY_TURNS = 256, DENSITY_ALL = 4096 };

#include "workload_sets.h"

DEFINE_WORKLOAD(density256);
