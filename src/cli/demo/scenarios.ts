import type { Turn } from "./scripted-model.ts";

/** One request to the travel desk, and what the model says and calls on the way to its answer. */
export interface Scenario {
  /** What the user asked; the name of the request's own span. */
  readonly request: string;
  readonly turns: readonly Turn[];
  /** Conversations that go on share a thread. */
  readonly thread?: string;
  /** A human's answer to what the same thread is interrupted by. */
  readonly humanAnswer?: unknown;
  /** Tools that throw are called again. */
  readonly retries?: boolean;
  /** The user presses stop so many milliseconds after a tool has started. */
  readonly stopAfterMs?: number;
}

const payInvoice: readonly Turn[] = [
  [{ tool: "pay_invoice", args: { invoice: "INV-311", amount: 430 } }],
  "The invoice is paid.",
];

const cancelBooking: readonly Turn[] = [
  [{ tool: "cancel_booking", args: { booking: "B-17" } }],
  "Your booking stays as it is.",
];

/** A day at the travel desk: most of it works, and what fails does so in each of the ways a tool can. */
export const scenarios: readonly Scenario[] = [
  {
    request: "A weekend in Lisbon",
    turns: [
      [
        { tool: "get_weather", args: { city: "Lisbon" } },
        { tool: "search_flights", args: { to: "LIS", date: "2026-10-03" } },
      ],
      [{ tool: "hold_seat", args: { fare: "TP-88", quotedHoursAgo: 0 } }],
      "Sunny, 24 degrees, and seat 12A is held for you.",
    ],
  },
  {
    request: "Home for Christmas",
    turns: [
      [{ tool: "search_flights", args: { to: "OSL", date: "2026-12-24" } }],
      [{ tool: "search_flights", args: { to: "BGO", date: "2026-12-24" } }],
      [{ tool: "search_flights", args: { to: "OSL", date: "2026-12-23" } }],
      [{ tool: "hold_seat", args: { fare: "SK-70", quotedHoursAgo: 40 } }],
      [{ tool: "hold_seat", args: { fare: "SK-71", quotedHoursAgo: 20 } }],
      [{ tool: "hold_seat", args: { fare: "SK-72", quotedHoursAgo: 0 } }],
      "Nothing left on the 24th; you fly on the 23rd, in seat 12A.",
    ],
  },
  {
    request: "What is that in yen?",
    turns: [
      [{ tool: "convert_money", args: { amount: 430, to: "JPY", rates: "live" } }],
      [{ tool: "convert_money", args: { amount: 430, to: "JPY", rates: "daily" } }],
      "About 69,000 yen, by this morning's rate.",
    ],
  },
  {
    request: "Do I need a visa?",
    turns: [
      [
        { tool: "ask_visa_clerk", args: { question: "Does a Norwegian need a visa for India?" } },
        { tool: "get_weather", args: { city: "Delhi" } },
      ],
      "The visa service does not answer; please ask again later.",
    ],
  },
  {
    request: "Will it rain in Bergen?",
    turns: [
      [{ tool: "rain_radar", args: { city: "Bergen" } }],
      [{ tool: "get_weather", args: { town: "Bergen" } }],
      [{ tool: "get_weather", args: { city: "Bergen" } }],
      "Sunny, for once.",
    ],
  },
  {
    request: "A hotel near the office",
    turns: [
      [{ tool: "find_hotel", args: { city: "Oslo", nights: 14 } }],
      [{ tool: "find_hotel", args: { city: "Oslo", nights: 3 } }],
      "Three nights at the Grand.",
    ],
  },
  { request: "Pay the invoice", turns: payInvoice, thread: "invoice" },
  { request: "Pay the invoice: approved", turns: payInvoice, thread: "invoice", humanAnswer: "approved" },
  {
    request: "Send me the tickets",
    turns: [[{ tool: "send_tickets", args: { booking: "B-17" } }], "They are in your mail."],
    retries: true,
  },
  { request: "Cancel my booking", turns: cancelBooking, thread: "cancel" },
  {
    request: "Cancel my booking: rejected",
    turns: cancelBooking,
    thread: "cancel",
    humanAnswer: { decisions: [{ type: "reject", message: "the fare is not refundable" }] },
  },
  {
    request: "Plan three weeks in Asia",
    turns: [[{ tool: "plan_route", args: { stops: 12 } }], "Here is your route."],
    stopAfterMs: 120,
  },
];
