/** What a LangChain.js tool may do, and what is true of its call. The tool's name is the scenario's. */
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Command, interrupt, MemorySaver, MessagesAnnotation, StateGraph } from "@langchain/langgraph";

const message = (status, id, content = "quota exceeded") =>
  new ToolMessage({ content, tool_call_id: id, ...(status && { status }) });
const command = (...messages) => new Command({ update: { messages } });

const subgraph = new StateGraph(MessagesAnnotation)
  .addNode("leave", async () => new Command({ graph: Command.PARENT, goto: "other" }))
  .addEdge("__start__", "leave")
  .compile({ checkpointer: new MemorySaver() });

/** An error that only bears the name of the framework's mark. */
class GraphInterrupt extends Error {
  name = "GraphInterrupt";
}

/**
 * `run` is the tool; `via` how it is called: by a tool call (`call`), with plain arguments (`args`), by a graph's node (`graph`).
 * @type {readonly { name: string, truth: string, via: "call" | "args" | "graph", format?: string, run: (id: string, config: object) => unknown }[]}
 */
export const scenarios = [
  { name: "js_ok_text", truth: "ok", via: "call", run: () => "sunny" },
  { name: "js_ok_words", truth: "ok", via: "call", run: () => "Error budget: 99 %, 0 errors" },
  { name: "js_ok_json", truth: "ok", via: "call", run: () => '{"status": "error", "jobs": 3}' },
  { name: "js_ok_object", truth: "ok", via: "args", run: () => ({ status: "error", jobs: 3 }) },
  { name: "js_ok_quotes_message", truth: "ok", via: "call", run: () => JSON.stringify(message("error", "call_9")) },
  { name: "js_ok_message", truth: "ok", via: "call", run: (id) => message("success", id, "sunny") },
  {
    name: "js_throws",
    truth: "error",
    via: "call",
    run: () => {
      throw new TypeError("no such city");
    },
  },
  {
    name: "js_throws_graph",
    truth: "error",
    via: "graph",
    run: () => {
      throw new TypeError("no such city");
    },
  },
  { name: "js_message_error", truth: "error", via: "call", run: (id) => message("error", id) },
  { name: "js_message_error_args", truth: "error", via: "args", run: () => message("error", "call_1") },
  { name: "js_message_error_graph", truth: "error", via: "graph", run: (id) => message("error", id) },
  {
    name: "js_artifact_error",
    truth: "error",
    via: "call",
    format: "content_and_artifact",
    run: (id) => [message("error", id), { rows: 0 }],
  },
  {
    name: "js_ok_artifact_quotes",
    truth: "ok",
    via: "call",
    format: "content_and_artifact",
    run: () => ["1 job", { status: "error" }],
  },
  { name: "js_command_error", truth: "error", via: "call", run: (id) => command(message("error", id)) },
  { name: "js_command_error_graph", truth: "error", via: "graph", run: (id) => command(message("error", id)) },
  { name: "js_command_ok", truth: "ok", via: "call", run: (id) => command(message("success", id, "sunny")) },
  {
    name: "js_command_several",
    truth: "error",
    via: "call",
    run: (id) => command(new HumanMessage("note"), message("error", id)),
  },
  {
    name: "js_command_history",
    truth: "ok",
    via: "call",
    run: (id) => command(message("error", "call_0"), message(undefined, id, "sunny")),
  },
  {
    name: "js_command_other_after",
    truth: "ok",
    via: "call",
    run: (id) => command(message("success", id, "sunny"), message("error", "call_2")),
  },
  {
    name: "js_command_history_ok",
    truth: "error",
    via: "call",
    run: (id) => command(message("success", "call_0", "old"), message("error", id)),
  },
  {
    name: "js_command_tuples",
    truth: "error",
    via: "call",
    run: (id) => new Command({ update: [["messages", [message("error", id)]]] }),
  },
  { name: "js_list_error", truth: "error", via: "args", run: () => [command(message("error", "call_1"))] },
  // LangChain.js writes a list as the text of a successful message.
  { name: "js_ok_list_as_text", truth: "ok", via: "call", run: (id) => [command(message("error", id))] },
  { name: "js_interrupt", truth: "not error", via: "graph", run: () => `answer ${interrupt({ ask: "ok?" })}` },
  {
    name: "js_parent_command",
    truth: "not error",
    via: "graph",
    run: (_, config) => subgraph.invoke({ messages: [] }, config).then(() => "never"),
  },
  {
    name: "js_named_interrupt",
    truth: "error",
    via: "call",
    run: () => {
      throw new GraphInterrupt("disk full");
    },
  },
];
