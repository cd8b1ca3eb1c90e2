/* workload_sets.h - WORKLOAD_BODY, measured and counted.  See workload.h. */
#include "workload.h"

#define FN(name) name
#define CALL()   ((void)0)
#define SET_ATTR static WORKLOAD_FN
#include WORKLOAD_BODY
#undef FN
#undef CALL
#undef SET_ATTR

/* One counting pass at a time: the workload command's mutex. */
static u64 counted;

#define FN(name) counted_##name
#define CALL()   ((void)counted++)
#define SET_ATTR static notrace WORKLOAD_FN
#include WORKLOAD_BODY
#undef FN
#undef CALL
#undef SET_ATTR
