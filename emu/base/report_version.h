/*
 * report_version.h - of the JSON report (docs/report.md), for who writes it and who reads it back.
 */
#ifndef BASE_REPORT_VERSION_H
#define BASE_REPORT_VERSION_H

/* Moves when a field changes its meaning or goes. */
enum { REPORT_VERSION = 3 };

#endif
