import type { MeterProvider, TracerProvider } from "@opentelemetry/api";
import { metrics, trace } from "@opentelemetry/api";
import type { RecorderOptions } from "../../span/options.ts";
import { SCOPE_NAME, SCOPE_VERSION } from "../../version.ts";
import { instrumentLangChain } from "./instrument.ts";

export interface LangChainInstrumentationConfig extends RecorderOptions {
  /** Whether making it switches it on. @default true */
  readonly enabled?: boolean;
}

/**
 * `instrumentLangChain` in the shape which `registerInstrumentations` of `@opentelemetry/instrumentation` takes, of either line.
 *
 * @throws {TypeError} beginning with `toolspan:`, for another module, or an option that cannot work
 * @example
 * import * as tools from "@langchain/core/tools";
 * registerInstrumentations({ instrumentations: [new LangChainInstrumentation(tools)] });
 */
export class LangChainInstrumentation {
  readonly instrumentationName: string = SCOPE_NAME;
  readonly instrumentationVersion: string = SCOPE_VERSION;

  private readonly toolsModule: object;
  private config: LangChainInstrumentationConfig;
  private undo: (() => void) | undefined;

  constructor(toolsModule: object, config: LangChainInstrumentationConfig = {}) {
    this.toolsModule = toolsModule;
    this.config = { enabled: true, ...config };
    if (this.config.enabled) this.enable();
  }

  enable(): void {
    const { enabled: _, ...options } = this.config;
    this.undo = instrumentLangChain(this.toolsModule, options);
  }

  disable(): void {
    this.undo?.();
    this.undo = undefined;
  }

  getConfig(): LangChainInstrumentationConfig {
    return this.config;
  }

  /** Takes the place of the whole configuration; calls that have begun keep theirs. */
  setConfig(config: LangChainInstrumentationConfig): void {
    this.config = { enabled: true, ...config };
    if (!this.undo) return;
    this.disable();
    this.enable();
  }

  setTracerProvider(tracerProvider: TracerProvider): void {
    const { tracerProvider: _, ...others } = this.config;
    const isGlobal = tracerProvider === trace.getTracerProvider();
    this.setConfig(isGlobal ? others : { ...others, tracerProvider });
  }

  /** `registerInstrumentations` gives the global provider, which may not be registered yet: that one is looked up late. */
  setMeterProvider(meterProvider: MeterProvider): void {
    const { meterProvider: _, ...others } = this.config;
    const isGlobal = meterProvider === metrics.getMeterProvider();
    this.setConfig(isGlobal ? others : { ...others, meterProvider });
  }
}
