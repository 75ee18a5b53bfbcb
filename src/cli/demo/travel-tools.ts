import { setTimeout as sleep } from "node:timers/promises";
import type { ToolRunnableConfig } from "@langchain/core/tools";
import type { Tracer } from "@opentelemetry/api";
import { convertMoney } from "./convert-money.ts";
import type { Frameworks } from "./frameworks.ts";
import { askVisaClerk } from "./visa-clerk.ts";

/** The travel desk's own tools. Between them they fail in every way that LangChain has; most do so by their arguments. */
export function createTravelTools(frameworks: Frameworks, tracer: Tracer) {
  return [
    getWeather(frameworks),
    searchFlights(frameworks),
    holdSeat(frameworks),
    convertMoney(frameworks, tracer),
    askVisaClerk(frameworks),
    payInvoice(frameworks),
    planRoute(frameworks),
    sendTickets(frameworks),
    cancelBooking(frameworks),
  ];
}

function getWeather({ tool, z }: Frameworks) {
  return tool(
    async ({ city }) => {
      await sleep(35);
      return `${city}: sunny, 24 degrees`;
    },
    { name: "get_weather", description: "Weather of a city", schema: z.object({ city: z.string() }) },
  );
}

/** Says that it failed by the status of the message it returns; nothing is thrown. */
function searchFlights({ tool, z, ToolMessage }: Frameworks) {
  return tool(
    async ({ to, date }, config: ToolRunnableConfig) => {
      await sleep(60);
      if (!date.endsWith("-12-24")) return `2 flights to ${to} on ${date}`;
      return new ToolMessage({
        status: "error",
        content: `${to} is full on ${date}`,
        name: "search_flights",
        tool_call_id: config.toolCall?.id ?? "",
      });
    },
    {
      name: "search_flights",
      description: "Flights to an airport on a day",
      schema: z.object({ to: z.string(), date: z.string() }),
    },
  );
}

/** Writes to the agent's state; the failure is inside the Command. */
function holdSeat({ tool, z, ToolMessage, Command }: Frameworks) {
  return tool(
    async ({ fare, quotedHoursAgo }, config: ToolRunnableConfig) => {
      await sleep(25);
      const expired = quotedHoursAgo > 12;
      const message = new ToolMessage({
        status: expired ? "error" : "success",
        content: expired ? `fare ${fare} has expired` : `seat 12A held on ${fare}`,
        name: "hold_seat",
        tool_call_id: config.toolCall?.id ?? "",
      });
      return new Command({ update: { messages: [message] } });
    },
    {
      name: "hold_seat",
      description: "Holds a seat at a fare",
      schema: z.object({ fare: z.string(), quotedHoursAgo: z.number() }),
    },
  );
}

/** Waits for a human before it spends money. */
function payInvoice({ tool, z, interrupt }: Frameworks) {
  return tool(
    async ({ invoice, amount }) => {
      const answer: unknown = interrupt({ question: `Pay ${amount} euros for ${invoice}?` });
      await sleep(40);
      return `${invoice}: ${String(answer)}, paid`;
    },
    {
      name: "pay_invoice",
      description: "Pays an invoice",
      schema: z.object({ invoice: z.string(), amount: z.number() }),
    },
  );
}

/** Long enough for the user to press stop. */
function planRoute({ tool, z }: Frameworks) {
  return tool(
    async ({ stops }, config: ToolRunnableConfig) => {
      await sleep(5000, undefined, { ...(config.signal && { signal: config.signal }) });
      return `a route with ${stops} stops`;
    },
    { name: "plan_route", description: "Plans a journey", schema: z.object({ stops: z.number() }) },
  );
}

class MailError extends Error {
  override readonly name = "MailError";
}

/** Throws the first time it is asked for a booking's tickets; asked again, it sends them. */
function sendTickets({ tool, z }: Frameworks) {
  const asked = new Set<string>();
  return tool(
    async ({ booking }) => {
      await sleep(15);
      if (!asked.has(booking)) {
        asked.add(booking);
        throw new MailError("mail server busy");
      }
      return `tickets of ${booking} sent`;
    },
    { name: "send_tickets", description: "Sends a booking's tickets", schema: z.object({ booking: z.string() }) },
  );
}

/** The desk asks a human before this runs. */
function cancelBooking({ tool, z }: Frameworks) {
  return tool(
    async ({ booking }) => {
      await sleep(15);
      return `${booking} is cancelled`;
    },
    { name: "cancel_booking", description: "Cancels a booking", schema: z.object({ booking: z.string() }) },
  );
}
