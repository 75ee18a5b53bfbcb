/**
 * Door `toolspan/register`: `node --import toolspan/register app.js` traces an unmodified LangChain.js application, ESM or
 * CommonJS. The standard `OTEL_*` variables decide everything; switched off by them, nothing else is loaded.
 */
import { isSwitchedOff } from "./register/switched-off.ts";

if (!isSwitchedOff(process.env)) {
  const { startRegistered } = await import("./register/start-registered.ts");
  await startRegistered();
}
