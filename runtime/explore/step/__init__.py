"""Steps through a script, event by event, in the reference interpreter: what `cpolc step` shows.

script.py   the events: of an event log, or of a test of the policy
session.py  takes the steps, forward and back
changes.py  what a step changed, in words
text.py     a step as text
views.py    the lists, a folio's record, the states
board.py    all of these, with what the last step changed
"""

from cpol.runtime.explore.step.script import Script, of_log, of_test
from cpol.runtime.explore.step.session import Session, Step, StepError

__all__ = ["Script", "Session", "Step", "StepError", "of_log", "of_test"]
