import { expect, it } from "vitest";
import { settled } from "../../src/core/settled.ts";

/** What the two listeners were told. */
function listening() {
  const told: unknown[] = [];
  const ending = {
    returned: (value: unknown) => void told.push(value),
    threw: (error: unknown) => void told.push(error),
  };
  return { told, ending };
}

it("a value comes back at once, and is told first", () => {
  const { told, ending } = listening();
  const value = { then: "no function" };
  expect(settled(() => value, ending)).toBe(value);
  expect(told).toEqual([value]);
});

it("what is thrown at once is told and thrown on", () => {
  const { told, ending } = listening();
  const error = new Error("mine");
  expect(() =>
    settled(() => {
      throw error;
    }, ending),
  ).toThrow(error);
  expect(told).toEqual([error]);
});

it("a promise tells when it settles, and not before", async () => {
  const { told, ending } = listening();
  const promise = settled(async () => "late", ending);
  expect(told).toEqual([]);
  expect(await promise).toBe("late");
  expect(told).toEqual(["late"]);
});
