/** An application that knows nothing of toolspan: `node --import toolspan/register examples/unmodified.js`. */
import { AIMessage, createAgent, fakeModel, tool } from "langchain";

const weather = tool(
  () => {
    throw new RangeError("no weather for Oslo");
  },
  { name: "weather", description: "The weather", schema: { type: "object", properties: {} } },
);
const model = fakeModel()
  .respondWithTools([{ name: "weather", args: {} }])
  .respond(new AIMessage("I could not find out."));

const agent = createAgent({ model, tools: [weather] });
const { messages } = await agent.invoke({ messages: [{ role: "user", content: "How is the weather in Oslo?" }] });
console.log(messages.at(-1)?.text);
