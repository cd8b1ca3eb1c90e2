/*
 * define_trace.h - the end of each header of events.
 *
 * In the one source file that defines CREATE_TRACE_POINTS before it includes the header, the header
 * is read again here: first for the definitions of the tracepoints, then by trace_events.h for
 * their events. The header defines TRACE_SYSTEM; if its file is not
 * include/trace/events/TRACE_SYSTEM.h, also TRACE_INCLUDE_FILE (its name without .h) and
 * TRACE_INCLUDE_PATH (its directory).
 */
#ifdef CREATE_TRACE_POINTS
#undef CREATE_TRACE_POINTS

#include <linux/export.h>

#undef DECLARE_TRACE
#undef TRACE_EVENT
#undef TRACE_EVENT_CONDITION
#undef TRACE_EVENT_FN
#undef TRACE_EVENT_FN_COND
#undef TRACE_EVENT_NOP
#undef DEFINE_EVENT
#undef DEFINE_EVENT_FN
#undef DEFINE_EVENT_PRINT
#undef DEFINE_EVENT_CONDITION
#undef DEFINE_EVENT_NOP
#undef DECLARE_EVENT_NOP
#undef DECLARE_EVENT_CLASS_NOP

#define DECLARE_TRACE(name, proto, args) DEFINE_TRACE(name, PARAMS(proto), PARAMS(args))
#define TRACE_EVENT(name, proto, args, tstruct, assign, print) \
    DEFINE_TRACE(name, PARAMS(proto), PARAMS(args))
#define TRACE_EVENT_CONDITION(name, proto, args, cond, tstruct, assign, print) \
    DEFINE_TRACE(name, PARAMS(proto), PARAMS(args))
#define TRACE_EVENT_FN(name, proto, args, tstruct, assign, print, reg, unreg) \
    DEFINE_TRACE_FN(name, reg, unreg, PARAMS(proto), PARAMS(args))
#define TRACE_EVENT_FN_COND(name, proto, args, cond, tstruct, assign, print, reg, unreg) \
    DEFINE_TRACE_FN(name, reg, unreg, PARAMS(proto), PARAMS(args))
#define TRACE_EVENT_NOP(name, proto, args, struct, assign, print)
#define DEFINE_EVENT(template, name, proto, args) DEFINE_TRACE(name, PARAMS(proto), PARAMS(args))
#define DEFINE_EVENT_FN(template, name, proto, args, reg, unreg) \
    DEFINE_TRACE_FN(name, reg, unreg, PARAMS(proto), PARAMS(args))
#define DEFINE_EVENT_PRINT(template, name, proto, args, print) \
    DEFINE_TRACE(name, PARAMS(proto), PARAMS(args))
#define DEFINE_EVENT_CONDITION(template, name, proto, args, cond) \
    DEFINE_TRACE(name, PARAMS(proto), PARAMS(args))
#define DEFINE_EVENT_NOP(template, name, proto, args)
#define DECLARE_EVENT_NOP(name, proto, args)
#define DECLARE_EVENT_CLASS_NOP(name, proto, args, tstruct, assign, print)

#ifndef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE TRACE_SYSTEM
#define UNDEF_TRACE_INCLUDE_FILE
#endif
#ifndef TRACE_INCLUDE_PATH
/* clang-format off */
#define TRACE_INCLUDE_PATH trace/events
/* clang-format on */
#define UNDEF_TRACE_INCLUDE_PATH
#endif

#define TRACE_STRING(x) #x
/* clang-format off */
#define TRACE_HEADER(path, file)  TRACE_STRING(path/file.h)
/* clang-format on */
#define TRACE_INCLUDE(path, file) TRACE_HEADER(path, file)

#define TRACE_HEADER_MULTI_READ
#include TRACE_INCLUDE(TRACE_INCLUDE_PATH, TRACE_INCLUDE_FILE)

#ifdef CONFIG_EVENT_TRACING
#include <trace/trace_events.h>
#endif

#undef TRACE_HEADER_MULTI_READ
#undef DECLARE_TRACE
#undef TRACE_EVENT
#undef TRACE_EVENT_CONDITION
#undef TRACE_EVENT_FN
#undef TRACE_EVENT_FN_COND
#undef TRACE_EVENT_NOP
#undef DECLARE_EVENT_CLASS
#undef DEFINE_EVENT
#undef DEFINE_EVENT_FN
#undef DEFINE_EVENT_PRINT
#undef DEFINE_EVENT_CONDITION
#undef DEFINE_EVENT_NOP
#undef DECLARE_EVENT_NOP
#undef DECLARE_EVENT_CLASS_NOP
#undef TRACE_EVENT_FLAGS

#ifdef UNDEF_TRACE_INCLUDE_FILE
#undef TRACE_INCLUDE_FILE
#undef UNDEF_TRACE_INCLUDE_FILE
#endif
#ifdef UNDEF_TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_PATH
#undef UNDEF_TRACE_INCLUDE_PATH
#endif

/* The file may create the tracepoints of other headers, too. */
#define CREATE_TRACE_POINTS

#endif
