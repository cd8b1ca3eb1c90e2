"""benchshards - a measurement of tools/bench in independent pieces, for other machines.

`bench --shards N --out DIR` writes DIR/plan.json and DIR/jobs, a shell command a line: for GNU
parallel (`parallel < DIR/jobs`) and for a Slurm array (`sed -n "${SLURM_ARRAY_TASK_ID}p" DIR/jobs |
sh`). Each writes DIR/shard-K.json. `bench --merge DIR` makes one answer of them, and refuses what
is missing, of another plan, or says two things of one run.
"""
import dataclasses
import hashlib
import json
import os
import pathlib
import shlex
import sys

import benchcost
import benchlib
from benchlib import BAD_DATA, BenchError

SCHEMA, VERSION = "rvftrace-cost-plan", 1


def identity(jobs, keys):
    """Of a plan: the same jobs on the same inputs."""
    return hashlib.sha256(json.dumps([[dataclasses.astuple(j), k] for j, k in zip(jobs, keys)])
                          .encode()).hexdigest()


def write_plan(directory, shards, jobs, inputs, options):
    """Writes the plan and the commands."""
    where = pathlib.Path(directory)
    where.mkdir(parents=True, exist_ok=True)
    keys = [inputs.key(job) for job in jobs]
    plan = {"schema": SCHEMA, "version": VERSION, "plan": identity(jobs, keys), "shards": shards,
            "seed": options.seed, "scale": options.scale,
            "inputs": {"emulator": inputs.emulator, "images": inputs.images,
                       "initrd": inputs.initrd, "cores": inputs.cores},
            "jobs": [dataclasses.astuple(job) for job in jobs], "keys": keys}
    benchlib.write_json(str(where / "plan.json"), plan)
    program = shlex.join([os.path.abspath(sys.argv[0]), "--shard"])
    lines = [f"{program} {number} --out {shlex.quote(os.path.abspath(directory))}\n"
             for number in range(1, shards + 1)]
    benchlib.write_text(str(where / "jobs"), "".join(lines))


def read_plan(directory):
    path = str(pathlib.Path(directory) / "plan.json")
    plan = benchlib.read_json(path, "written by tools/bench --shards")
    try:
        plan["jobs"] = [benchcost.Job(*job) for job in plan["jobs"]]
        sound = ((plan["schema"], plan["version"]) == (SCHEMA, VERSION)
                 and plan["plan"] == identity(plan["jobs"], plan["keys"]))
    except (KeyError, TypeError):
        sound = False
    if not sound:
        raise BenchError(BAD_DATA, f"{path}: not written by this version of tools/bench --shards, or "
                                   "changed since; plan again")
    return plan


def shard_path(directory, number):
    return pathlib.Path(directory) / f"shard-{number}.json"


def run_shard(directory, number, cache, progress, workers):
    """Runs each N-th job of the plan, from the number-th on."""
    plan = read_plan(directory)
    if not 1 <= number <= plan["shards"]:
        raise BenchError(benchlib.USAGE, f"--shard {number}: {directory} has shards 1 to "
                                         f"{plan['shards']}")
    inputs = benchcost.Inputs(**plan["inputs"], seed=plan["seed"])
    mine = [(job, key) for i, (job, key) in enumerate(zip(plan["jobs"], plan["keys"]))
            if i % plan["shards"] == number - 1]
    for job, key in mine:
        if inputs.key(job) != key:
            raise BenchError(BAD_DATA, f"{directory}: emulator, kernel or core model are not those "
                                       f"of the plan any more ({job.title()}); plan again")
    results = benchcost.run_all(inputs, [job for job, _ in mine], cache, progress, workers)
    path, part = shard_path(directory, number), str(shard_path(directory, number)) + ".part"
    benchlib.write_json(part, {"plan": plan["plan"], "shard": number,
                               "runs": {key: results[job] for job, key in mine}})
    os.replace(part, path)


def read_shard(path, plan, number):
    shard = benchlib.read_json(str(path), "written by tools/bench --shard")
    if (not isinstance(shard, dict) or not isinstance(shard.get("runs"), dict)
            or not all(map(benchcost.is_record, shard["runs"].values()))):
        raise BenchError(BAD_DATA, f"{path}: not written by tools/bench --shard")
    if shard.get("plan") != plan["plan"] or shard.get("shard") != number:
        raise BenchError(BAD_DATA, f"{path}: shard {shard.get('shard')} of another plan")
    return shard["runs"]


def merge(directory):
    """The plan, and job -> record of all its jobs."""
    plan = read_plan(directory)
    missing = [n for n in range(1, plan["shards"] + 1) if not shard_path(directory, n).is_file()]
    if missing:
        raise BenchError(BAD_DATA, f"{directory}: missing: "
                         + ", ".join(shard_path(directory, n).name for n in missing)
                         + "; each is a line of jobs")
    runs = {}
    for number in range(1, plan["shards"] + 1):
        path = shard_path(directory, number)
        for key, record in read_shard(path, plan, number).items():
            if runs.setdefault(key, record) != record:
                raise BenchError(BAD_DATA, f"{path}: contradicts another shard about one run")
    absent = [job for job, key in zip(plan["jobs"], plan["keys"]) if key not in runs]
    if absent:
        raise BenchError(BAD_DATA, f"{directory}: {len(absent)} runs are in no shard, the first: "
                                   f"{absent[0].title()}")
    return plan, {job: runs[key] for job, key in zip(plan["jobs"], plan["keys"])}
