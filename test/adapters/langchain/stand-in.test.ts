import { expect, it } from "vitest";
import { standInFor } from "../../../src/adapters/langchain/stand-in.ts";

class Base {
  call(): unknown {
    return this;
  }
  fromBase(): unknown {
    return this;
  }
}

const schema = () => "a schema can be a function";

/** A tool of a class of its own each time: what is known of a class is kept. */
function makeTool() {
  /** Between LangChain's class and the tool's: it has private members. */
  class Middle extends Base {
    readonly #words = "mine";
    get schema() {
      return schema;
    }
    words(): string {
      return this.#words;
    }
    changed(): unknown {
      return "a method here";
    }
  }
  class Tool extends Middle {
    declare readonly kind: string;
    label = "";
    set title(value: string) {
      this.label = value;
    }
    override call(): unknown {
      return super.call();
    }
    _call(): string {
      return "the tool's own";
    }
  }
  Object.defineProperty(Tool.prototype, "kind", { value: "data of the class" });
  Object.defineProperty(Tool.prototype, "changed", { get: () => schema });
  return new Tool();
}

const body = () => "ours";
const standFor = <T extends object>(tool: T, base: object = Base.prototype): T => standInFor(tool, base, body) as T;

it("has another body and nothing is written on the tool", () => {
  const tool = makeTool();
  const keys = Reflect.ownKeys(tool);
  expect(standFor(tool)._call()).toBe("ours");
  expect(tool._call()).toBe("the tool's own");
  expect(Reflect.ownKeys(tool)).toEqual(keys);
});

it("is of the tool's class, and LangChain's own members and `call` get it for the tool", () => {
  const tool = makeTool();
  const standIn = standFor(tool);
  expect(standIn.constructor).toBe(tool.constructor);
  expect(standIn.fromBase()).toBe(standIn);
  expect(standIn.call()).toBe(standIn);
});

it("methods of the classes above get the tool itself, whose private members they read", () => {
  expect(standFor(makeTool()).words()).toBe("mine");
});

it("functions that are data stay the same: what a getter gives, and what the tool itself holds", () => {
  const tool = makeTool();
  expect(standFor(tool).schema).toBe(schema);
  expect(standFor(tool).changed).toBe(schema);
  const words = () => "of this one";
  Object.defineProperty(tool, "words", { value: words });
  expect(standFor(tool).words).toBe(words);
  expect(standFor(tool).kind).toBe("data of the class");
});

it("what is set on it is set on the tool", () => {
  const tool = makeTool();
  standFor(tool).title = "set";
  expect(tool.label).toBe("set");
});

it("also where the base is not among its classes, or there are no classes", () => {
  expect(standFor(makeTool(), {}).words()).toBe("mine");
  const bare = Object.assign(Object.create(null) as object, { _call: () => "the tool's own", size: 1 });
  expect(standFor(bare)._call()).toBe("ours");
  expect(standFor(bare).size).toBe(1);
});
