"""What a test claims: one line for each claim, and more about those that do not hold."""

FAILED = []


def claim(sentence, holds, why=""):
    print(f"{'ok' if holds else 'not ok'} - {sentence}")
    if not holds:
        FAILED.append(sentence)
        print("# " + str(why)[:1000].replace("\n", "\n# "))
