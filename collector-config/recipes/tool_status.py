"""The status of a LangChain tool call, written on the tracer's own span, where the Collector's repair.yaml reads it.

langchain-azure-ai (1.2.12) sets OK on every tool span that ends and keeps no sign of a handled failure; other tracers keep none with content capture off.
`AzureAIOpenTelemetryTracer` below is to be used in place of theirs. For another tracer mix `ToolStatus` in and say where it keeps the span of a run.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from langchain_azure_ai.callbacks.tracers import AzureAIOpenTelemetryTracer as _AzureAIOpenTelemetryTracer
from langchain_core.messages import ToolMessage
from opentelemetry.trace import Span

ATTRIBUTE = "langchain.tool_message.status"


class ToolStatus:
    """Mixed in before a callback handler: writes the status of what a tool returned, and nothing of its content."""

    def span_of_run(self, run_id: UUID) -> Span | None:
        """The span which the tracer has open for a run."""
        raise NotImplementedError

    def on_tool_start(self, *args: Any, run_id: UUID, **kwargs: Any) -> Any:
        self._call_ids()[run_id] = kwargs.get("tool_call_id")
        return super().on_tool_start(*args, run_id=run_id, **kwargs)

    def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> Any:
        status = status_of(output, self._call_ids().pop(run_id, None))
        span = self.span_of_run(run_id)
        if status is not None and span is not None:
            span.set_attribute(ATTRIBUTE, status)
        return super().on_tool_end(output, run_id=run_id, **kwargs)

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> Any:
        self._call_ids().pop(run_id, None)
        return super().on_tool_error(error, run_id=run_id, **kwargs)

    def _call_ids(self) -> dict[UUID, str | None]:
        return self.__dict__.setdefault("_tool_call_ids", {})


class AzureAIOpenTelemetryTracer(ToolStatus, _AzureAIOpenTelemetryTracer):
    """langchain-azure-ai's tracer, with the status on its tool spans."""

    def span_of_run(self, run_id: UUID) -> Span | None:
        record = self._spans.get(str(run_id))
        return record.span if record else None


def status_of(output: Any, call_id: str | None) -> str | None:
    """The status of the message that answers this call: alone, in a list, in a Command. None where there is no such message."""
    if isinstance(output, ToolMessage):
        return output.status
    statuses = [message.status for message in _messages(output) if call_id in (None, message.tool_call_id)]
    if not statuses:
        return None
    # Without a call id every message may be meant: an error only if all say so.
    return "error" if all(status == "error" for status in statuses) else "success"


def _messages(output: Any) -> list[ToolMessage]:
    """The tool messages in a list or in a Command, whose update is a dict or a list of pairs."""
    if isinstance(output, (list, tuple)):
        return [message for item in output for message in ([item] if isinstance(item, ToolMessage) else _messages_of_command(item))]
    return _messages_of_command(output)


def _messages_of_command(command: Any) -> list[ToolMessage]:
    update = getattr(command, "update", None)
    pairs = update.items() if isinstance(update, dict) else update if isinstance(update, (list, tuple)) else ()
    written = [pair[1] for pair in pairs if isinstance(pair, (list, tuple)) and len(pair) == 2 and pair[0] == "messages"]
    flat = [message for value in written for message in (value if isinstance(value, (list, tuple)) else [value])]
    return [message for message in flat if isinstance(message, ToolMessage)]
