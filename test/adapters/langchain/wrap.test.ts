import { beforeAll, describe } from "vitest";
import { judgeSituations } from "../../support/judged.ts";
import { useContextManager } from "../../support/traced.ts";

beforeAll(useContextManager);

describe("the wrap in the judged situations", () => {
  judgeSituations("wrap");
});
describe("handler and wrap together in the judged situations", () => {
  judgeSituations("both");
});
