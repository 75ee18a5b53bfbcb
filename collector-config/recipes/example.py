"""Tools that answer well, handle their own failure, and throw, traced by langchain-azure-ai with the recipe, content recording off.

pip install -r requirements.txt
OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318 python example.py
"""

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, ToolException, tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from typing_extensions import Annotated

from tool_status import AzureAIOpenTelemetryTracer

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
trace.set_tracer_provider(provider)


@tool
def weather(city: str) -> str:
    """The weather in a city."""
    return f"sunny in {city}"


@tool
def search(city: str) -> str:
    """Search; its failure is handled, so that the model gets it."""
    raise ToolException("the search backend is down")


search.handle_tool_error = True


@tool
def reserve(city: str, call_id: Annotated[str, InjectedToolCallId]) -> Command:
    """Answers through the graph's state, after what was answered before."""
    old = ToolMessage("reserved", tool_call_id="call_0")
    return Command(update={"messages": [old, ToolMessage("quota exceeded", tool_call_id=call_id, status="error")]})


@tool
def pay(city: str) -> str:
    """Throws."""
    raise ValueError("no such city")


tools = [weather, search, reserve, pay]
asked = [{"name": one.name, "args": {"city": "Oslo"}, "id": f"call_{one.name}"} for one in tools]
graph = StateGraph(MessagesState)
graph.add_node("tools", ToolNode(tools, handle_tool_errors=True))
graph.add_edge(START, "tools")
tracer = AzureAIOpenTelemetryTracer(enable_content_recording=False, auto_configure_azure_monitor=False)
answer = graph.compile().invoke({"messages": [AIMessage("", tool_calls=asked)]}, {"callbacks": [tracer]})
for message in answer["messages"][1:]:
    print(message.status, message.content)
provider.shutdown()
