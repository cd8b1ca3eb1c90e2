"""What a test claims: one line for each claim, and more about those that do not hold (claims.sh: the same for the shell)."""
import sys

FAILED = []


def claim(sentence, holds, why=""):
    print(f"{'ok' if holds else 'not ok'} - {sentence}", flush=True)
    if not holds:
        FAILED.append(sentence)
        print("# " + str(why)[-2000:].replace("\n", "\n# "), flush=True)


def finish():
    """Ends the test, which has failed if a claim does not hold."""
    sys.exit(bool(FAILED))
