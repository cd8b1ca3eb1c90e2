/* density1024.c - the workload `density1024`: calls with 1024 loop iterations each. */
#define WORKLOAD_BODY "density_body.h"
#define DENSITY_WORK  density1024_work
#define DENSITY_ONCE  density1024_once

enum { DENSITY_TURNS = 1024, DENSITY_ALL = 4096 };

#include "workload_sets.h"

DEFINE_WORKLOAD(density1024);
