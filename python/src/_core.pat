# What nanobind's stubgen cannot know.
^sotto._core.LimitExceeded$:
    class LimitExceeded(ValueError):
        """A stated limit was exceeded: a subject's limit in a ledger, or that of a document's size."""

^sotto._core.__prefix__$:
    __version__: str
