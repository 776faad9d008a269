#!/usr/bin/env python3
"""Samples findings to judge, and counts the judgements: docs/accuracy.md.

    skills validate --no-config --format json . | ci/sample.py > judged.tsv    [N [SEED]]
    ci/sample.py --count judged.tsv

The sample has at most N findings (40) of each rule and level, the same ones for the same SEED (1). Write U (true and useful),
N (true but noise) or F (false) at the start of each line, and count.
"""
import collections
import json
import random
import sys


def sample(n=40, seed=1):
    findings = collections.defaultdict(list)
    for skill in json.load(sys.stdin)["skills"]:
        for d in skill["diagnostics"]:
            place = f'{d.get("file", skill["path"])}:{d.get("line", 0)}'
            findings[d["rule"], d["level"]].append((place, d["message"]))
    for (rule, level), found in sorted(findings.items()):
        chosen = random.Random(seed).sample(sorted(found), min(n, len(found)))
        for place, message in sorted(chosen):
            print("?", rule, level, len(found), place, " ".join(message.split()), sep="\t")


def count(name):
    rules = collections.defaultdict(collections.Counter)
    with open(name, encoding="utf-8") as f:
        for line in f:
            judgement, rule, level, found = line.split("\t")[:4]
            rules[rule, level, found][judgement.strip()] += 1
    print("rule", "level", "findings", "judged", "useful", "noise", "false", sep="\t")
    for (rule, level, found), n in sorted(rules.items()):
        print(rule, level, found, n["U"] + n["N"] + n["F"], n["U"], n["N"], n["F"], sep="\t")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--count"] and len(sys.argv) == 3:
        count(sys.argv[2])
    elif len(sys.argv) <= 3 and all(a.isdigit() for a in sys.argv[1:]):
        sample(*map(int, sys.argv[1:]))
    else:
        sys.exit(__doc__.strip())
