"""calls.py - reads what `rvftrace run --trace` wrote (docs/trace.md), and refuses what breaks its promises."""
import json


class Call:
    """A function's call, or what else opens and closes on a stack."""

    __slots__ = ("kind", "name", "hart", "cycle", "task", "pc", "back", "sp", "caller", "state",
                 "stack", "around", "inside", "of", "end", "end_hart", "end_cycle", "clock")

    def __init__(self, event, around):
        args = event["args"]
        self.kind, self.name, self.stack = event["cat"], event["name"], event["tid"]
        self.hart, self.cycle = args["hart"], args["cycle"]
        self.task, self.pc, self.back, self.sp = (int(args[k], 16)
                                                  for k in ("task", "pc", "back", "sp"))
        self.caller, self.state = args.get("caller"), args.get("state")
        self.around, self.inside = around, []
        self.clock = None  # at its end no hart had come further than this cycle
        self.of = None  # of a "return": the function that has returned
        self.end = None

    def close(self, event):
        args = event["args"]
        self.end, self.end_hart, self.end_cycle = (args["end"], args["end_hart"],
                                                   args["end_cycle"])

    def tracer(self):
        """The tracer's part of it, or None."""
        return self.inside[0] if self.inside and self.inside[0].kind == "tracer" else None

    def __repr__(self):
        return (f"{self.kind} {self.name} hart {self.hart} cycle {self.cycle} stack {self.stack} "
                f"pc {self.pc:#x} back {self.back:#x} ({self.caller}) {self.state}")


class Broken(Exception):
    """The file is not what it promises to be."""


def events_of(text):
    """The events, also of a file that was cut off behind some line."""
    lines = text.split("\n")
    if lines[0] != "[":
        raise Broken("does not begin as a list")
    return [json.loads(line.rstrip(",")) for line in lines[1:] if line not in ("", "]")]


def set_clocks(order):
    """
    Harts are not quite in step, but none reads a time behind one that another has read. The file is
    in the order in which they really ran; how far each had come, its next event tells.
    """
    coming = {}
    for hart, cycle, ended in reversed(order):
        if ended:
            ended.clock = max([cycle] + [at for other, at in coming.items() if other != hart])
        coming[hart] = cycle


def read_calls(text):
    """All calls in the order in which they were entered; raises Broken."""
    calls, open_calls, last, left, order = [], {}, {}, {}, []
    for event in events_of(text):
        if event["ph"] == "M":
            continue
        stack = open_calls.setdefault(event["tid"], [])
        if event["ts"] < last.get(event["tid"], 0):
            raise Broken(f"time goes back on stack {event['tid']}: {event}")
        last[event["tid"]] = event["ts"]
        if event["ph"] == "B":
            call = Call(event, stack[-1] if stack else None)
            if call.around:
                call.around.inside.append(call)
            if call.kind == "return":
                call.of = left.get(event["tid"])
            stack.append(call)
            calls.append(call)
            order.append((call.hart, call.cycle, None))
        elif not stack:
            raise Broken(f"an end without a beginning: {event}")
        else:
            left[event["tid"]] = stack.pop()
            left[event["tid"]].close(event)
            order.append((left[event["tid"]].end_hart, left[event["tid"]].end_cycle,
                          left[event["tid"]]))
    set_clocks(order)
    return calls
