import { afterEach, beforeEach, vi } from "vitest";

/**
 * Time passes only by `vi.advanceTimersByTime`, for the SDK as for us. The SDK keeps the `performance` it found when it was
 * loaded, so that object is told the time, and not another put in its place.
 */
export function useFakeClock(): void {
  beforeEach(() => {
    const [now, monotonic] = [Date.now(), Math.round(performance.now())];
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"], now });
    vi.spyOn(performance, "now").mockImplementation(() => monotonic + Date.now() - now);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
}
