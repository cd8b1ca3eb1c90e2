"""calls.py - reads what `rvftrace run --trace` wrote (docs/trace.md), and refuses what breaks its promises."""
import json


class Call:
    """A function's call, or what else opens and closes on a stack."""

    __slots__ = ("kind", "name", "hart", "cycle", "task", "pc", "back", "sp", "caller", "state",
                 "stack", "around", "inside", "end", "end_hart", "end_cycle")

    def __init__(self, event, around):
        args = event["args"]
        self.kind, self.name, self.stack = event["cat"], event["name"], event["tid"]
        self.hart, self.cycle = args["hart"], args["cycle"]
        self.task, self.pc, self.back, self.sp = (int(args[k], 16)
                                                  for k in ("task", "pc", "back", "sp"))
        self.caller, self.state = args.get("caller"), args.get("state")
        self.around, self.inside = around, []
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


def read_calls(text):
    """All calls in the order in which they were entered; raises Broken."""
    calls, open_calls, last = [], {}, {}
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
            stack.append(call)
            calls.append(call)
        elif not stack:
            raise Broken(f"an end without a beginning: {event}")
        else:
            stack.pop().close(event)
    return calls
