"""benchspread - the mean of figures of several placements of the code, and how sure it is, for `bench`.

Where functions happen to lie decides which of them share lines and sets of the caches and entries of the
predictors: one placement is one draw. The placements are drawn independently, so Student's t gives the interval.
"""
import dataclasses
import math

# The 97.5th percentile of Student's t, by degrees of freedom from 1 on.
T_975 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
         2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048,
         2.045, 2.042)
MORE_FREEDOM = 2.042  # that of 30: a little too careful for more


@dataclasses.dataclass(frozen=True)
class Spread:
    """A mean; half the width of its 95 % interval (None: one value has none); the range; the number of values."""

    mean: float
    interval: float | None
    least: float
    most: float
    count: int

    @property
    def is_sure(self):
        """Whether it is not 0: its interval, if there is one, is all on one side."""
        return abs(self.mean) > (self.interval or 0)

    def reaches(self, other):
        """Whether the two intervals touch: then it is not known which of the two is more."""
        return abs(self.mean - other.mean) <= (self.interval or 0) + (other.interval or 0)


def spread(values):
    """The Spread of one value for each placement."""
    count = len(values)
    mean = math.fsum(values) / count
    interval = None
    if count > 1:
        variance = math.fsum((v - mean) ** 2 for v in values) / (count - 1)
        t = T_975[count - 2] if count - 2 < len(T_975) else MORE_FREEDOM
        interval = t * math.sqrt(variance / count)
    return Spread(mean, interval, min(values), max(values), count)


def placements_for(now, precision, most):
    """How many placements would make the interval of `now` as narrow as that: more than there are, at most `most`."""
    wanted = math.ceil(now.count * (now.interval / precision) ** 2) if now.interval is not None else 0
    return min(most, max(now.count + 2, wanted))
