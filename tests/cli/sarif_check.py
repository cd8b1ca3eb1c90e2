#!/usr/bin/env python3
"""sarif_check.py FILE [ASSERTION] - the file is SARIF 2.1.0, as far as rvftrace uses it.

The members that an object must and may have, and their types, are those of the standard's sections
3.13 to 3.58. With SARIF_SCHEMA, the file of the OASIS schema, and Python's jsonschema the file is
validated against that, too. ASSERTION is an expression over `log', `run' and `results'.
"""
import json
import os
import re
import sys

TEXT, NUMBER, FLAG = str, int, bool


class Obj:
    def __init__(self, required, **optional):
        self.required = required.split()
        self.members = optional


MESSAGE = Obj("text", text=TEXT, markdown=TEXT)
ARTIFACT = Obj("uri", uri=TEXT, uriBaseId=TEXT)
PHYSICAL = Obj("artifactLocation", artifactLocation=ARTIFACT,
               region=Obj("startLine", startLine=NUMBER, startColumn=NUMBER))
LOCATION = Obj("physicalLocation", physicalLocation=PHYSICAL, message=MESSAGE,
               logicalLocations=[Obj("fullyQualifiedName kind", fullyQualifiedName=TEXT, kind=TEXT)])
STACK = Obj("frames", message=MESSAGE, frames=[Obj("location", location=LOCATION)])
FLOW = Obj("threadFlows", threadFlows=[Obj("locations", message=MESSAGE,
                                           locations=[Obj("location", location=LOCATION, nestingLevel=NUMBER,
                                                          executionOrder=NUMBER)])])
RULE = Obj("id shortDescription help defaultConfiguration", id=TEXT, shortDescription=MESSAGE, help=MESSAGE,
           defaultConfiguration=Obj("level", level=TEXT))
RESULT = Obj("ruleId ruleIndex level message locations", ruleId=TEXT, ruleIndex=NUMBER, level=TEXT, message=MESSAGE,
             locations=[LOCATION], relatedLocations=[LOCATION], stacks=[STACK], codeFlows=[FLOW], occurrenceCount=NUMBER, partialFingerprints=dict,
             suppressions=[Obj("kind", kind=TEXT, justification=TEXT)], baselineState=TEXT, properties=dict)
RUN = Obj("tool invocations results",
          tool=Obj("driver", driver=Obj("name version rules", name=TEXT, version=TEXT, rules=[RULE])),
          invocations=[Obj("executionSuccessful exitCode", executionSuccessful=FLAG, exitCode=NUMBER,
                           exitCodeDescription=TEXT, commandLine=TEXT, arguments=[TEXT], properties=dict,
                           toolExecutionNotifications=[Obj("message", level=TEXT, message=MESSAGE)])],
          originalUriBaseIds=dict, results=[RESULT])
LOG = Obj("version runs $schema", version=TEXT, runs=[RUN], **{"$schema": TEXT})


def check(value, form, where):
    if isinstance(form, Obj):
        assert isinstance(value, dict), where
        assert not set(form.required) - set(value), f"{where} lacks {set(form.required) - set(value)}"
        assert not set(value) - set(form.members), f"{where} has {set(value) - set(form.members)}"
        for name, member in value.items():
            check(member, form.members[name], f"{where}.{name}")
    elif isinstance(form, list):
        assert isinstance(value, list), where
        for i, item in enumerate(value):
            check(item, form[0], f"{where}[{i}]")
    else:
        assert type(value) is form, f"{where} is {value!r}"


def check_values(run):
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules and len(set(rules)) == len(rules)
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("note", "warning", "error")
        assert result.get("baselineState", "new") in ("new", "unchanged")
        assert result.get("occurrenceCount", 1) >= 1 and len(result["locations"]) == 1
        assert all(s["kind"] == "external" for s in result.get("suppressions", []))
        assert all(type(text) is str for text in result["partialFingerprints"].values())
        frames = [frame["location"] for stack in result.get("stacks", []) for frame in stack["frames"]]
        assert all(stack["frames"] for stack in result.get("stacks", []))
        assert all(flow["locations"] for code in result.get("codeFlows", []) for flow in code["threadFlows"])
        for location in result["locations"] + result["relatedLocations"] + frames:
            physical = location["physicalLocation"]
            uri = physical["artifactLocation"]["uri"]
            assert re.fullmatch(r"(file:///)?[A-Za-z0-9._~/+@,=%-]+", uri), uri
            assert uri.startswith("file:") != ("uriBaseId" in physical["artifactLocation"])
            assert physical.get("region", {"startLine": 1})["startLine"] >= 1


def main():
    with open(sys.argv[1]) as file:
        log = json.load(file)
    check(log, LOG, "log")
    assert log["version"] == "2.1.0" and len(log["runs"]) == 1
    run = log["runs"][0]
    check_values(run)
    if os.environ.get("SARIF_SCHEMA"):
        import jsonschema
        with open(os.environ["SARIF_SCHEMA"]) as file:
            jsonschema.Draft4Validator(json.load(file)).validate(log)
    for assertion in sys.argv[2:]:
        assert eval(assertion, {"log": log, "run": run, "results": run["results"]}), (assertion, run["results"][:1])


main()
