/** What a scenario is given of the application that it plays. */
export interface Application {
  /** The application's own handler, and ours where it is watched by one. */
  readonly config: { readonly callbacks: object[] };
  /** Ours alone, where the application has none of its own. */
  readonly quiet: { readonly callbacks?: object[] };
  /** Handlers of the application's choice, and ours. */
  withHandlers(...own: readonly object[]): { readonly callbacks: object[] };
  /** A handler of the application's that writes down each event and all that it is told. */
  handler(fields?: object): object;
  /** Writes down what happens, when and in which context, as it is at this moment. */
  note(what: string, ...told: readonly unknown[]): void;
  /** Has a tool watched by itself as well, where the way is a wrap, and looks afterwards that nothing was written on it. */
  watch<Tool extends object>(tool: Tool): Tool;
  /** Steps of the microtask queue that it costs the way of watching to follow a promise. */
  readonly stepsToFollow: number;
}

export type Scenario = readonly [title: string, run: (application: Application) => unknown];
