/*
 * kmem.h - events of the allocators.
 *
 * The allocators of this kernel neither wait nor reclaim, and have no gfp_flags; __GFP_ZERO is
 * there if the memory was to be zeroed. There is one node, -1 in Linux for a caller that named
 * none, and one type of pages, 0.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM kmem

#if !defined(TRACE_EVENTS_KMEM_H) || defined(TRACE_HEADER_MULTI_READ)
#define TRACE_EVENTS_KMEM_H

#include <linux/mm.h>
#include <linux/tracepoint.h>

/* clang-format off */

#define show_gfp_flags(flags) (flags) ? __print_flags(flags, "|", {0x100u, "__GFP_ZERO"}) : "none"

TRACE_EVENT(kmem_cache_alloc,
    TP_PROTO(unsigned long call_site, const void *ptr, size_t bytes_req, size_t bytes_alloc,
             unsigned long gfp_flags),
    TP_ARGS(call_site, ptr, bytes_req, bytes_alloc, gfp_flags),
    TP_STRUCT__entry(
        __field(unsigned long, call_site)
        __field(const void *, ptr)
        __field(size_t, bytes_req)
        __field(size_t, bytes_alloc)
        __field(unsigned long, gfp_flags)
        __field(int, node)
        __field(bool, accounted)
    ),
    TP_fast_assign(
        __entry->call_site = call_site;
        __entry->ptr = ptr;
        __entry->bytes_req = bytes_req;
        __entry->bytes_alloc = bytes_alloc;
        __entry->gfp_flags = gfp_flags;
        __entry->node = -1;
        __entry->accounted = false;
    ),
    TP_printk("call_site=%pS ptr=%p bytes_req=%zu bytes_alloc=%zu gfp_flags=%s node=%d accounted=%s",
              (void *)__entry->call_site, __entry->ptr, __entry->bytes_req, __entry->bytes_alloc,
              show_gfp_flags(__entry->gfp_flags), __entry->node,
              __entry->accounted ? "true" : "false")
);

TRACE_EVENT(kmalloc,
    TP_PROTO(unsigned long call_site, const void *ptr, size_t bytes_req, size_t bytes_alloc,
             unsigned long gfp_flags),
    TP_ARGS(call_site, ptr, bytes_req, bytes_alloc, gfp_flags),
    TP_STRUCT__entry(
        __field(unsigned long, call_site)
        __field(const void *, ptr)
        __field(size_t, bytes_req)
        __field(size_t, bytes_alloc)
        __field(unsigned long, gfp_flags)
        __field(int, node)
    ),
    TP_fast_assign(
        __entry->call_site = call_site;
        __entry->ptr = ptr;
        __entry->bytes_req = bytes_req;
        __entry->bytes_alloc = bytes_alloc;
        __entry->gfp_flags = gfp_flags;
        __entry->node = -1;
    ),
    TP_printk("call_site=%pS ptr=%p bytes_req=%zu bytes_alloc=%zu gfp_flags=%s node=%d accounted=%s",
              (void *)__entry->call_site, __entry->ptr, __entry->bytes_req, __entry->bytes_alloc,
              show_gfp_flags(__entry->gfp_flags), __entry->node, "false")
);

TRACE_EVENT(kfree,
    TP_PROTO(unsigned long call_site, const void *ptr),
    TP_ARGS(call_site, ptr),
    TP_STRUCT__entry(
        __field(unsigned long, call_site)
        __field(const void *, ptr)
    ),
    TP_fast_assign(
        __entry->call_site = call_site;
        __entry->ptr = ptr;
    ),
    TP_printk("call_site=%pS ptr=%p", (void *)__entry->call_site, __entry->ptr)
);

TRACE_EVENT(kmem_cache_free,
    TP_PROTO(unsigned long call_site, const void *ptr, const char *name),
    TP_ARGS(call_site, ptr, name),
    TP_STRUCT__entry(
        __field(unsigned long, call_site)
        __field(const void *, ptr)
        __string(name, name)
    ),
    TP_fast_assign(
        __entry->call_site = call_site;
        __entry->ptr = ptr;
        __assign_str(name, name);
    ),
    TP_printk("call_site=%pS ptr=%p name=%s", (void *)__entry->call_site, __entry->ptr,
              __get_str(name))
);

/* page is NULL if there was none. */
TRACE_EVENT(mm_page_alloc,
    TP_PROTO(struct page *page, unsigned int order),
    TP_ARGS(page, order),
    TP_STRUCT__entry(
        __field(unsigned long, pfn)
        __field(unsigned int, order)
        __field(unsigned long, gfp_flags)
        __field(int, migratetype)
    ),
    TP_fast_assign(
        __entry->pfn = page ? page_to_pfn(page) : -1UL;
        __entry->order = order;
        __entry->gfp_flags = 0;
        __entry->migratetype = 0;
    ),
    TP_printk("page=%p pfn=0x%lx order=%d migratetype=%d gfp_flags=%s",
              __entry->pfn != -1UL ? pfn_to_page(__entry->pfn) : ((void *)0),
              __entry->pfn != -1UL ? __entry->pfn : 0, __entry->order, __entry->migratetype,
              show_gfp_flags(__entry->gfp_flags))
);

/* A block leaves the free lists; no list of single pages is filled from it. */
TRACE_EVENT(mm_page_alloc_zone_locked,
    TP_PROTO(struct page *page, unsigned int order),
    TP_ARGS(page, order),
    TP_STRUCT__entry(
        __field(unsigned long, pfn)
        __field(unsigned int, order)
        __field(int, migratetype)
        __field(int, percpu_refill)
    ),
    TP_fast_assign(
        __entry->pfn = page_to_pfn(page);
        __entry->order = order;
        __entry->migratetype = 0;
        __entry->percpu_refill = 0;
    ),
    TP_printk("page=%p pfn=0x%lx order=%u migratetype=%d percpu_refill=%d",
              __entry->pfn != -1UL ? pfn_to_page(__entry->pfn) : ((void *)0),
              __entry->pfn != -1UL ? __entry->pfn : 0, __entry->order, __entry->migratetype,
              __entry->percpu_refill)
);

TRACE_EVENT(mm_page_free,
    TP_PROTO(struct page *page, unsigned int order),
    TP_ARGS(page, order),
    TP_STRUCT__entry(
        __field(unsigned long, pfn)
        __field(unsigned int, order)
    ),
    TP_fast_assign(
        __entry->pfn = page_to_pfn(page);
        __entry->order = order;
    ),
    TP_printk("page=%p pfn=0x%lx order=%d", pfn_to_page(__entry->pfn), __entry->pfn,
              __entry->order)
);

/* clang-format on */

#endif

#include <trace/define_trace.h>
