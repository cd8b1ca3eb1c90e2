/*
 * report_version.h - the version of the JSON report (docs/report.md), for its writer and its
 * reader.
 */
#ifndef BASE_REPORT_VERSION_H
#define BASE_REPORT_VERSION_H

/* Changes when a field changes its meaning or is removed. */
enum { REPORT_VERSION = 3 };

#endif
