/*
 * findings_style.h - how findings are printed at the end of a run: --findings.
 */
#ifndef FTRACE_FINDINGS_STYLE_H
#define FTRACE_FINDINGS_STYLE_H

enum findings_style {
    FINDINGS_AUTO, /* errors and warnings: with their evidence if they are few, otherwise briefly */
    FINDINGS_FULL, /* all findings, also notes, with their evidence */
    FINDINGS_BRIEF, /* all findings, also notes, a line each */
};

#endif
