import { describe, expect, it } from "vitest";
import { clearTracingSettings, readDestinations } from "../../../src/cli/demo/environment.ts";

describe("where the demo's spans go as well", () => {
  it("is nowhere by default", () => {
    expect(readDestinations({})).toEqual([]);
    expect(readDestinations({ OTEL_EXPORTER_OTLP_ENDPOINT: " " })).toEqual([]);
  });

  it.each(["http://collector:4318", "http://collector:4318/"])("is one endpoint for both signals: %s", (endpoint) => {
    expect(readDestinations({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).toEqual([
      { path: "/v1/traces", url: "http://collector:4318/v1/traces", headers: {} },
      { path: "/v1/metrics", url: "http://collector:4318/v1/metrics", headers: {} },
    ]);
  });

  it("is a signal's own endpoint as it stands, with its own headers", () => {
    expect(
      readDestinations({
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example/in",
        OTEL_EXPORTER_OTLP_HEADERS: "x-all=1,,x",
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: "authorization=Bearer%20a=b, x-tenant = 7%",
      }),
    ).toEqual([
      {
        path: "/v1/traces",
        url: "https://traces.example/in",
        headers: { authorization: "Bearer a=b", "x-tenant": "7%" },
      },
    ]);
  });

  it.each(["collector:4318", "ftp://collector", "nonsense"])(
    "is refused where it is no web address: %s",
    (endpoint) => {
      expect(() => readDestinations({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).toThrow(
        new TypeError(`toolspan: OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL, not "${endpoint}"`),
      );
    },
  );
});

it("clears what would change the demo, and nothing else", () => {
  const env = {
    OTEL_SDK_DISABLED: "true",
    LANGSMITH_TRACING: "true",
    LANGCHAIN_TRACING_V2: "true",
    NO_COLOR: "1",
    MY_OTEL_: "",
  };
  clearTracingSettings(env);
  expect(env).toEqual({ NO_COLOR: "1", MY_OTEL_: "" });
});
