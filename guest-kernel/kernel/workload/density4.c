/* density4.c - the workload `density4`: calls with 4 loop iterations each. */
#define WORKLOAD_BODY "density_body.h"
#define DENSITY_WORK  density4_work
#define DENSITY_ONCE  density4_once

enum { DENSITY_TURNS = 4, DENSITY_ALL = 4096 };

#include "workload_sets.h"

DEFINE_WORKLOAD(density4);
