import { context, trace } from "@opentelemetry/api";
import { beforeAll, describe, expect, it } from "vitest";
import { said } from "../support/said.ts";
import { failed, succeeded, unfailed, useContextManager, verdict } from "../support/traced.ts";
import { watched } from "../support/watched.ts";

beforeAll(useContextManager);
said();
const tool = { name: "t", callId: "c1" };
const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const activeSpanId = () => trace.getActiveSpan()?.spanContext().spanId;

describe("run", () => {
  it("a value passes through, and the span was active", () => {
    const { recorder, onlySpan } = watched();
    const value = {};
    let inside: unknown;
    const result = recorder.run(tool, () => {
      inside = activeSpanId();
      return value;
    });
    expect(result).toBe(value);
    expect(inside).toBe(onlySpan().spanContext().spanId);
    expect(activeSpanId()).toBeUndefined();
    expect(verdict(onlySpan())).toEqual(succeeded);
    expect(onlySpan().attributes["gen_ai.tool.call.id"]).toBe("c1");
  });

  it("an error passes through, the very same", () => {
    const { recorder, onlySpan } = watched();
    const error = Object.freeze(new TypeError("no"));
    expect(() =>
      recorder.run(tool, () => {
        throw error;
      }),
    ).toThrow(error);
    expect(verdict(onlySpan())).toEqual(failed("TypeError"));
  });

  it("a promise: the span lasts until it is settled and is active across its awaits", async () => {
    const { recorder, spans, onlySpan } = watched();
    let inside: unknown;
    const promise = recorder.run(tool, async () => {
      await sleep(5);
      inside = activeSpanId();
      return 7;
    });
    expect(spans()).toEqual([]);
    expect(await promise).toBe(7);
    expect(inside).toBe(onlySpan().spanContext().spanId);
    expect(verdict(onlySpan())).toEqual(succeeded);
  });

  it("a rejection passes through, undefined too", async () => {
    const { recorder, onlySpan } = watched();
    await expect(recorder.run(tool, async () => Promise.reject(undefined))).rejects.toBeUndefined();
    expect(verdict(onlySpan())).toEqual(failed("_OTHER"));
  });

  it("a thenable is asked once, with the span active, and its then need not return anything", async () => {
    const { recorder, onlySpan } = watched();
    const active: unknown[] = [];
    const query = () => ({
      then(resolve: (value: number) => void) {
        active.push(activeSpanId());
        resolve(7);
      },
    });
    expect(await recorder.run(tool, query)).toBe(7);
    expect(active).toEqual([onlySpan().spanContext().spanId]);
    expect(verdict(onlySpan())).toEqual(succeeded);
  });

  it("a promise of somebody's own kind stays of that kind", async () => {
    class Request<T> extends Promise<T> {
      readonly cancel = (): string => "cancelled";
    }
    const { recorder, onlySpan } = watched();
    const request = recorder.run(tool, () => Request.resolve(7) as Request<number>);
    expect(request.cancel()).toBe("cancelled");
    expect(await request).toBe(7);
    expect(verdict(onlySpan())).toEqual(succeeded);
  });

  it("a failure that is returned is one", async () => {
    const { recorder, onlySpan } = watched();
    const result = { isError: true, content: [{ type: "text", text: "no" }] };
    expect(await recorder.run(tool, async () => result)).toBe(result);
    expect(verdict(onlySpan())).toEqual(failed("tool_error"));
  });

  it("with the caller's signal only its abort is a cancellation", async () => {
    const { recorder, spans } = watched();
    const controller = new AbortController();
    const run = (error: unknown) =>
      recorder.run({ ...tool, signal: controller.signal }, () => Promise.reject(error)).catch(() => 0);
    await run(new DOMException("own", "AbortError"));
    controller.abort("user left");
    await run(new Error("user left"));
    await run(new RangeError("unrelated"));
    expect(spans().map(verdict)).toEqual([failed("AbortError"), unfailed("cancelled"), failed("RangeError")]);
  });

  it("inner runs nest, and a key of the caller's is used", () => {
    const { recorder, spans } = watched();
    recorder.run({ name: "outer", key: "mine" }, () => {
      recorder.onToolStart({ key: "mine", name: "again" });
      recorder.run({ name: "inner" }, () => 1);
    });
    recorder.shutdown();
    const [inner, outer] = spans();
    expect(spans().map(({ name }) => name)).toEqual(["execute_tool inner", "execute_tool outer"]);
    expect(inner!.parentSpanContext?.spanId).toBe(outer!.spanContext().spanId);
  });

  it("runs at the same time need no keys of their own", async () => {
    const { recorder, spans } = watched();
    const both = ["t", "u"].map((name) => recorder.run({ name }, () => sleep(5)));
    await Promise.all(both);
    expect(spans().map(({ name }) => name)).toEqual(["execute_tool t", "execute_tool u"]);
  });

  it("without a recorder at work the function runs as it is, under the caller's span", () => {
    const { recorder, spans, tracerProvider } = watched();
    recorder.run(tool, () => 7);
    recorder.shutdown();
    const app = tracerProvider.getTracer("app").startSpan("app");
    context.with(trace.setSpan(context.active(), app), () => {
      expect(recorder.run(tool, activeSpanId)).toBe(app.spanContext().spanId);
    });
    expect(spans()).toHaveLength(1);
  });
});

describe("run of an async generator", () => {
  async function* parts(end?: () => never): AsyncGenerator<unknown, string, string | undefined> {
    const given = yield activeSpanId();
    yield [given, activeSpanId()];
    end?.();
    return "whole";
  }

  it("each step has the span active; what goes in and out passes through; it ends with the generator", async () => {
    const { recorder, spans, onlySpan } = watched();
    const generator = recorder.run(tool, () => parts());
    const first = await generator.next();
    const second = await generator.next("given");
    expect(spans()).toEqual([]);
    expect(activeSpanId()).toBeUndefined();
    expect(await generator.next()).toEqual({ done: true, value: "whole" });
    const { spanId } = onlySpan().spanContext();
    expect([first.value, second.value]).toEqual([spanId, ["given", spanId]]);
    expect(verdict(onlySpan())).toEqual(succeeded);
  });

  it("is iterated as any other, and is still a generator", async () => {
    const { recorder, onlySpan } = watched();
    const generator = recorder.run(tool, () => parts());
    expect(Object.prototype.toString.call(generator)).toBe("[object AsyncGenerator]");
    const seen = [];
    for await (const part of generator) seen.push(part);
    expect(seen).toHaveLength(2);
    expect(verdict(onlySpan())).toEqual(succeeded);
  });

  it("its error is the run's", async () => {
    const { recorder, onlySpan } = watched();
    const generator = recorder.run(tool, () =>
      parts(() => {
        throw new TypeError("mid-stream");
      }),
    );
    await generator.next();
    await generator.next();
    await expect(generator.next()).rejects.toThrow("mid-stream");
    expect(verdict(onlySpan())).toEqual(failed("TypeError"));
  });

  it("an error thrown into it that it does not catch is the run's", async () => {
    const { recorder, onlySpan } = watched();
    const generator = recorder.run(tool, () => parts());
    await generator.next();
    await expect(generator.throw(new RangeError("in"))).rejects.toThrow("in");
    expect(verdict(onlySpan())).toEqual(failed("RangeError"));
  });

  it("a consumer that leaves cancels it, and its clean-up has the span active", async () => {
    const { recorder, onlySpan } = watched();
    let cleanedIn: unknown;
    async function* cleaning(): AsyncGenerator<number> {
      try {
        yield 1;
      } finally {
        cleanedIn = activeSpanId();
      }
    }
    for await (const part of recorder.run(tool, cleaning)) if (part === 1) break;
    expect(verdict(onlySpan())).toEqual(unfailed("cancelled"));
    expect(cleanedIn).toBe(onlySpan().spanContext().spanId);
  });

  it("left after its end it stays what it was", async () => {
    const { recorder, onlySpan } = watched();
    const generator = recorder.run(tool, () => parts());
    for await (const _ of generator);
    await generator.return("again");
    expect(verdict(onlySpan())).toEqual(succeeded);
  });

  it("any other iterable is the tool's result", () => {
    for (const stream of [
      { async *[Symbol.asyncIterator]() {}, next: () => 1 },
      { [Symbol.toStringTag]: "AsyncGenerator" },
    ]) {
      const { recorder, onlySpan } = watched();
      expect(recorder.run(tool, () => stream)).toBe(stream);
      expect(verdict(onlySpan())).toEqual(succeeded);
    }
  });
});
