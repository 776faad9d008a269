#!/usr/bin/env python3
"""Read a file and print the result as JSON."""

import argparse
import json
import sys
from pathlib import Path


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="exit codes: 0 success, 1 the file cannot be read, 2 usage error",
    )
    parser.add_argument("--input", type=Path, required=True, help="the file to read")
    args = parser.parse_args()
    try:
        text = args.input.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        print(f"cannot read {args.input}: {error}", file=sys.stderr)
        return 1
    print(json.dumps({"characters": len(text)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
