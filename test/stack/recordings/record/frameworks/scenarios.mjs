/** What a tool of any framework may do, and what is true of its call. The tool's name is the scenario's. */

/** MCP's own form of a result, as an MCP client hands it on. */
const mcpResult = (text, isError) => ({ content: [{ type: "text", text }], ...(isError && { isError }) });

/** @type {readonly { name: string, truth: string, run: () => unknown }[]} */
export const scenarios = [
  { name: "fw_ok_text", truth: "ok", run: () => "sunny" },
  { name: "fw_ok_words", truth: "ok", run: () => "Error budget: 99 %, 0 errors" },
  { name: "fw_ok_json", truth: "ok", run: () => ({ status: "error", jobs: 3 }) },
  { name: "fw_ok_null_error", truth: "ok", run: () => ({ error: null, isError: false, temperature: 21 }) },
  { name: "fw_ok_quotes_mcp", truth: "ok", run: () => ({ log: mcpResult("quota exceeded", true) }) },
  {
    name: "fw_ok_quotes_mcp_text",
    truth: "ok",
    run: () => `seen: ${JSON.stringify(mcpResult("quota exceeded", true))}`,
  },
  { name: "fw_ok_mcp", truth: "ok", run: () => mcpResult("sunny", false) },
  { name: "fw_mcp_is_error", truth: "error", run: () => mcpResult("quota exceeded", true) },
  {
    name: "fw_throws",
    truth: "error",
    run: () => {
      throw new TypeError("no such city");
    },
  },
];
