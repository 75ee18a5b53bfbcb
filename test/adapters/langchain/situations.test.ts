/** The judged situations, seen by a callback handler alone. */
import { beforeAll, describe } from "vitest";
import { judgeSituations } from "../../support/judged.ts";
import { useContextManager } from "../../support/traced.ts";

beforeAll(useContextManager);

describe("a callback handler in the judged situations", () => {
  judgeSituations("handler");
});
