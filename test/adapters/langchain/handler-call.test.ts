/** Which call a run belongs to, as far as LangChain tells it: its name, its id, its agent, its earlier runs. */
import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { GraphInterrupt, MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { describe, expect, it } from "vitest";
import { agentOf, ask, asks, done, isLangChain1, makeTool, TellingModel, toolCall } from "../../support/agent.ts";
import { handled } from "../../support/handled.ts";
import { said } from "../../support/said.ts";
import { ClassTool, settle } from "../../support/situations.ts";
import { failed, succeeded, unfailed, verdict } from "../../support/traced.ts";

said();

type Node = (state: typeof MessagesAnnotation.State, config: object) => unknown;
const graphOf = (node: Node | ToolNode) =>
  new StateGraph(MessagesAnnotation)
    .addNode("node", node as never)
    .addEdge("__start__", "node")
    .compile();
const call = (id: string, args: Record<string, unknown> = { q: "x" }, name = "t") => toolCall(name, args, id);
const namedElsewhere = (id = "call_1") => new ToolMessage({ content: "x", tool_call_id: id, name: "elsewhere" });

describe("the tool's name", () => {
  it("is the one its run bears, whatever its answer says", async () => {
    const { config, onlySpan } = handled();
    await makeTool(() => namedElsewhere()).invoke(toolCall("t"), config);
    expect(onlySpan().name).toBe("execute_tool t");
  });

  it("else the one the model asked by, whatever its answer says", async () => {
    class Elsewhere extends ClassTool {
      override async _call(): Promise<never> {
        return namedElsewhere() as never;
      }
    }
    const { config, onlySpan } = handled();
    await agentOf([new Elsewhere()], {}, [asks(toolCall("class_tool")), done]).invoke(ask, config);
    expect(onlySpan().name).toBe("execute_tool class_tool");
  });

  it("else its answer's, also where that is held until the node's end", async () => {
    const { config, onlySpan } = handled();
    await graphOf(new ToolNode([new ClassTool()])).invoke({ messages: [asks(toolCall("class_tool"))] }, config);
    expect(onlySpan().name).toBe("execute_tool class_tool");
  });
});

it.skipIf(!isLangChain1)("a handler that is a tool's alone knows the agent by LangChain's metadata", async () => {
  const { handler, onlySpan } = handled();
  const one = makeTool(() => "x");
  one.callbacks = [handler];
  await agentOf([one], { name: "desk" }).invoke(ask);
  expect(onlySpan().attributes["gen_ai.agent.name"]).toBe("desk");
});

describe("a call and its runs", () => {
  it("runs without an id are calls of their own, not attempts", async () => {
    const { config, spans } = handled();
    const one = makeTool(() => "x");
    await RunnableLambda.from(async (input: { q: string }, inside) => {
      await one.invoke(input, inside);
      await one.invoke(input, inside);
    }).invoke({ q: "x" }, config);
    expect(spans().map(({ attributes }) => attributes["toolspan.attempt"])).toEqual([undefined, undefined]);
  });

  it("a run in a chain within a node is the call that the node answers", async () => {
    const { config, onlySpan } = handled();
    const one = RunnableLambda.from(async (_: unknown, inside) => makeTool(() => "x").invoke(call("c1"), inside));
    await graphOf(async (_state, inside) => ({ messages: [await one.invoke({}, inside)] })).invoke(
      { messages: [] },
      config,
    );
    expect(verdict(onlySpan())).toEqual(succeeded);
  });

  it("an id that the model uses again is another call: its runs, and its refusal", async () => {
    const { config, spans } = handled();
    const turns = [asks(call("c1")), asks(call("c1")), asks(call("c1", { bad: 1 })), done];
    await agentOf([makeTool(() => "x")], {}, turns).invoke(ask, config);
    expect(spans().map(verdict)).toEqual([succeeded, succeeded, failed("tool_error")]);
    expect(spans().map(({ attributes }) => attributes["toolspan.attempt"])).toEqual([undefined, undefined, undefined]);
  });

  it.each([
    ["the same call of the same thread", "thread-1", "c1", 1],
    ["no thread", undefined, "c1", 0],
    ["no call id", "thread-1", undefined, 0],
    ["neither", undefined, undefined, 0],
  ])("a run resumes one that was interrupted: %s", (_title, thread, callId, links) => {
    const { handler, spans } = handled();
    const start = (run: string) =>
      handler.handleToolStart({}, "{}", run, undefined, [], thread ? { thread_id: thread } : {}, "t", callId);
    start("r1");
    handler.handleToolError(new GraphInterrupt([]), "r1");
    start("r2");
    handler.handleToolEnd("x", "r2");
    expect(spans().map((span) => [verdict(span), span.links.length])).toEqual([
      [unfailed("interrupted"), 0],
      [succeeded, links],
    ]);
  });
});

describe("the tools that models were offered", () => {
  const modelOf = (...offered: readonly string[]) =>
    new TellingModel([new AIMessage("hi")]).bindTools(offered.map((name) => ({ name })));

  it("are those of all models of a graph together", async () => {
    const { config, spans } = handled();
    const refusal = (name: string) => new ToolMessage({ content: "no", tool_call_id: name, name, status: "error" });
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("ask", async (_state, inside) => {
        await modelOf("t").invoke("hi", inside);
        await modelOf("u").invoke("hi", inside);
        return {};
      })
      .addNode("answer", () => ({ messages: ["t", "u", "nope"].map(refusal) }))
      .addEdge("__start__", "ask")
      .addEdge("ask", "answer")
      .compile();
    await graph.invoke({ messages: [] }, config);
    expect(spans().map(({ name }) => name)).toEqual(["execute_tool t", "execute_tool u", "execute_tool unknown_tool"]);
  });

  it("no graph around the model: its call is drawn, whatever it asks for", async () => {
    const { config, allSpans } = handled();
    await new TellingModel([asks(call("c1"))]).bindTools([{ name: "t" }]).invoke("hi", config);
    expect(allSpans().map(({ name }) => name)).toEqual(["chat scripted-1"]);
    // LangChain gives the answer an id of its own making.
    expect(allSpans()[0]!.attributes).not.toHaveProperty("gen_ai.response.id");
  });
});

describe("the end of a graph", () => {
  it("a chain's end whose start was lost is quiet", () => {
    const { handler, allSpans } = handled();
    expect(() => handler.handleChainEnd({}, "lost")).not.toThrow();
    expect(allSpans()).toEqual([]);
  });

  it("by the caller's stop, which its last node tells, and then LangGraph, as an error of one word", async () => {
    const { config, allSpans } = handled({ errorOutcomes: ["cancelled"] });
    const controller = new AbortController();
    const stops = makeTool(() => controller.abort());
    await settle(() => agentOf([stops]).invoke(ask, { ...config, signal: controller.signal }));
    const agent = allSpans().at(-1)!;
    expect([agent.name, agent.status.message, verdict(agent)]).toEqual([
      "invoke_agent",
      "This operation was aborted",
      { status: "ERROR", outcome: "cancelled", errorType: "cancelled" },
    ]);
  });

  it.each<[string, Error, object]>([
    [
      "LangGraph's one word for the caller's stop, where no part tells of it",
      new Error("Abort"),
      unfailed("cancelled"),
    ],
    ["an error that only begins with it", new Error("Abort mission"), failed("Error")],
    ["an error of another kind with that word", new TypeError("Abort"), failed("TypeError")],
  ])("by %s", (_title, error, wanted) => {
    const { handler, allSpans } = handled();
    const graph = { lc: 1, type: "not_implemented", id: ["langgraph", "pregel", "CompiledStateGraph"] };
    handler.handleChainStart(graph, {}, "graph");
    handler.handleChainError(error, "graph");
    expect(verdict(allSpans()[0])).toEqual(wanted);
  });

  it("which is shown by its word where stops are shown as errors", () => {
    const { handler, allSpans } = handled({ errorOutcomes: ["cancelled"] });
    handler.handleChainStart(
      { lc: 1, type: "not_implemented", id: ["langgraph", "pregel", "CompiledStateGraph"] },
      {},
      "g",
    );
    handler.handleChainError(new Error("Abort"), "g");
    expect(allSpans()[0]!.status.message).toBe("Abort");
  });

  it("by another error of that word", async () => {
    const { config, allSpans } = handled();
    const broken = () => {
      throw new RangeError("Abort");
    };
    await settle(() => graphOf(broken).invoke({ messages: [] }, config));
    expect(verdict(allSpans().at(-1))).toEqual(failed("RangeError"));
  });
});

it("a tool in a chain that is no node of a graph ends when it ends", () => {
  const { handler, spans } = handled();
  handler.handleChainStart({ lc: 1, type: "not_implemented", id: ["RunnableSequence"] }, {}, "chain");
  handler.handleToolStart({}, "{}", "run", "chain", [], {}, "search");
  handler.handleToolEnd("fine", "run", "chain");
  expect(spans()).toHaveLength(1);
});
