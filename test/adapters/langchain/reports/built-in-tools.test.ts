/** R39: tools that a framework brings along are seen like those of the application, with the status they really had. */
import type { AIMessage } from "@langchain/core/messages";
import { createDeepAgent } from "deepagents";
import { todoListMiddleware } from "langchain";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { agentOf, ask, asks, done, ScriptedModel, toolCall } from "../../../support/agent.ts";
import { unwatch, watched } from "../../../support/judged.ts";
import { said } from "../../../support/said.ts";
import { settle } from "../../../support/situations.ts";
import { failed, succeeded, useContextManager, verdict } from "../../../support/traced.ts";

beforeAll(useContextManager);
afterEach(unwatch);
said();

const modes = ["handler", "wrap", "both"] as const;
const deepAgent = (answers: readonly AIMessage[], options: object = {}) =>
  createDeepAgent({ model: new ScriptedModel(answers), ...options } as never);
const readOnly = { permissions: [{ operations: ["write"], paths: ["/secret/**"], mode: "deny" }] };
const note = { file_path: "/a.txt", content: "x" };

describe.each(modes)("with %s", (mode) => {
  it("R39: LangChain's list of todos", async () => {
    const { config, onlySpan, failures } = watched(mode);
    const todos = toolCall("write_todos", { todos: [{ content: "a", status: "pending" }] });
    await agentOf([], { middleware: [todoListMiddleware()] }, [asks(todos), done]).invoke(ask, config);
    expect(onlySpan().name).toBe("execute_tool write_todos");
    expect(verdict(onlySpan())).toEqual(succeeded);
    expect(await failures()).toBe(0);
  });

  it.each<[string, string, Record<string, unknown>, object, object]>([
    ["a file that is written", "write_file", note, {}, succeeded],
    ["a list of files", "ls", { path: "/" }, {}, succeeded],
    ["a path that is not allowed", "write_file", { ...note, file_path: "/secret/a" }, readOnly, failed("tool_error")],
    // "Error: File … not found" is a text; the message says success.
    ["a file that is missing, told by a text alone", "read_file", { file_path: "/nope.txt" }, {}, succeeded],
  ])("R39: deepagents' %s", async (_title, name, args, options, wanted) => {
    const { config, onlySpan, failures } = watched(mode);
    await deepAgent([asks(toolCall(name, args)), done], options).invoke(ask as never, config);
    expect(onlySpan().name).toBe(`execute_tool ${name}`);
    expect(verdict(onlySpan())).toEqual(wanted);
    expect(await failures()).toBe(wanted === succeeded ? 0 : 1);
  });

  it("R39: deepagents' task for a sub-agent there is not", async () => {
    const { config, onlySpan, failures } = watched(mode);
    const task = toolCall("task", { description: "do", subagent_type: "nope" });
    await settle(() => deepAgent([asks(task), done]).invoke(ask as never, config));
    expect(onlySpan().name).toBe("execute_tool task");
    expect(verdict(onlySpan()).status).toBe("ERROR");
    expect(await failures()).toBe(1);
  });

  it("R36: arguments that deepagents' own tool refuses (deepagentsjs#68)", async () => {
    const { config, onlySpan, failures } = watched(mode);
    await deepAgent([asks(toolCall("read_file", { file_path: 5 })), done]).invoke(ask as never, config);
    expect(verdict(onlySpan())).toEqual(failed(mode === "handler" ? "tool_error" : "invalid_arguments"));
    expect(onlySpan().attributes).toMatchObject({ "toolspan.executed": false, "gen_ai.tool.name": "read_file" });
    expect(await failures()).toBe(1);
  });
});
