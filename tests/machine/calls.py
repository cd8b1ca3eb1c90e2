"""calls.py - reads the file of `rvftrace run --trace` (docs/trace.md), and refuses invalid ones."""
import gc
import json


class Call:
    """A slice: the call of a function, or another one."""

    __slots__ = ("kind", "name", "hart", "cycle", "task", "pc", "back", "sp", "caller", "state",
                 "comm", "pid", "tail_call_of", "stack", "around", "inside", "of", "turn", "begun", "ended", "time", "end", "end_hart",
                 "end_cycle", "end_time")

    def __init__(self, event, around, begun):
        args = event["args"]
        self.kind, self.name, self.stack = event["cat"], event["name"], event["tid"]
        self.hart, self.cycle, self.time = args["hart"], args["cycle"], args["time"]
        self.begun = begun  # its place in the file: the order in which things really happened
        self.task, self.pc, self.back, self.sp = (int(args[k], 16)
                                                  for k in ("task", "pc", "back", "sp"))
        self.caller, self.state = args.get("caller"), args.get("state")
        self.comm, self.pid, self.tail_call_of = (args.get(k) for k in ("comm", "pid", "tail_call_of"))
        self.around, self.inside = around, []
        # Of a "return": the functions that had ended, a chain of tail calls from its last on, and
        # which of the slices it is that they have: one for each that was hooked.
        self.of, self.turn = [], 0
        self.end = None

    def close(self, event, ended):
        args = event["args"]
        self.end, self.end_hart, self.end_cycle, self.end_time = (
            args["end"], args["end_hart"], args["end_cycle"], args["end_time"])
        self.ended = ended

    def tracer(self):
        """The tracer's part of it, or None."""
        return self.inside[0] if self.inside and self.inside[0].kind == "tracer" else None

    def __repr__(self):
        return (f"{self.kind} {self.name} hart {self.hart} cycle {self.cycle} stack {self.stack} "
                f"pc {self.pc:#x} back {self.back:#x} ({self.caller}) {self.state}")


class Broken(Exception):
    """The file is invalid."""


def events_of(text):
    """The events, also of a truncated file, whose last line may be incomplete."""
    lines = text.split("\n")
    if not text.rstrip().endswith("]"):
        lines.pop()
    if lines[0] != "[":
        raise Broken("does not begin as a list")
    return json.loads("[" + "".join(line for line in lines[1:] if line != "]").rstrip(",") + "]")


def follow_return(call, left):
    """The functions of a slice "return": those that ended right before it, at the same moment."""
    if left and left[-1].kind == "return":
        call.of, call.turn = left[-1].of, left[-1].turn + 1
        return
    for function in reversed(left):
        if function.kind != "function" or (function.end_hart, function.end_cycle) != (
                call.hart, call.cycle):
            break
        call.of.insert(0, function)


def read_calls(text):
    """All calls in the order in which they were entered; raises Broken."""
    gc.disable()  # nothing that is made here is garbage, and to look for some takes as long as all the rest
    try:
        return link_calls(events_of(text))
    finally:
        gc.enable()


def link_calls(events):
    calls, open_calls, last, left = [], {}, {}, {}
    for place, event in enumerate(events):
        if event["ph"] not in "BE":  # names of tracks; stores, fences, stale fetches, and arrows between them
            continue
        stack, gone = open_calls.setdefault(event["tid"], []), left.setdefault(event["tid"], [])
        if event["ts"] < last.get(event["tid"], 0):
            raise Broken(f"time goes back on stack {event['tid']}: {event}")
        last[event["tid"]] = event["ts"]
        if event["ph"] == "B":
            call = Call(event, stack[-1] if stack else None, place)
            if call.around:
                call.around.inside.append(call)
            if call.kind == "return":
                follow_return(call, gone)
            gone.clear()
            stack.append(call)
            calls.append(call)
        elif not stack:
            raise Broken(f"an end without a beginning: {event}")
        else:
            gone.append(stack.pop())
            gone[-1].close(event, place)
    return calls
