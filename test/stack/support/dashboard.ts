import { readFileSync } from "node:fs";

/** Where the dashboard counts from: its variable of that name. */
export type Source = "spans" | "library";

/** A query of a dashboard's panel. */
export interface Query {
  /** Title of the panel and letter of the query: `Calls A`. */
  readonly name: string;
  readonly expr: string;
}

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly refId: string; readonly expr: string }[];
  }[];
}

export function dashboardQueries(file: string): readonly Query[] {
  const { panels } = JSON.parse(readFileSync(file, "utf8")) as Dashboard;
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ refId, expr }) => ({ name: `${title} ${refId}`, expr })),
  );
}

/** The query as Grafana asks it, with the dashboard's variables and times filled in. */
export function filled(expr: string, variables: Readonly<Record<string, string>>): string {
  const text = Object.entries(variables).reduce((result, [name, value]) => result.replaceAll(`$${name}`, value), expr);
  if (text.includes("$")) throw new Error(`a variable is left: ${text}`);
  return text;
}
