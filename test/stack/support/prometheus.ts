import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { freePort } from "./ports.ts";
import { type Program, scratch, startProgram } from "./program.ts";

export interface PrometheusOptions {
  /** The file users get; its rule files are found beside it. */
  readonly config: string;
  /** What stands in the file and what it is here: addresses, intervals. Each must occur, or the test is about another file. */
  readonly replace: Readonly<Record<string, string>>;
  /** A folder of an earlier one, which this one takes the place of. */
  readonly data?: string;
}

export interface Prometheus extends Program {
  readonly url: string;
  readonly data: string;
  /** An instant query: the value of each series by its labels, without the metric's name. */
  query(expression: string): Promise<readonly Sample[]>;
  /** Labels of the exemplars of the last hour, of the series that the selector names. */
  exemplars(selector: string): Promise<readonly Readonly<Record<string, string>>[]>;
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Debian's Prometheus, with its remote-write receiver on. */
export async function startPrometheus({ config, replace, data = scratch() }: PrometheusOptions): Promise<Prometheus> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const file = join(scratch(), "prometheus.yml");
  writeFileSync(file, withAbsolutePaths(replaced(readFileSync(config, "utf8"), replace), dirname(resolve(config))));
  const program = await startProgram({
    command: "prometheus",
    args: [
      `--config.file=${file}`,
      `--storage.tsdb.path=${data}`,
      `--web.listen-address=${new URL(url).host}`,
      "--web.enable-remote-write-receiver",
      "--enable-feature=exemplar-storage",
    ],
    ready: `${url}/-/ready`,
  });
  const query = async (expression: string): Promise<readonly Sample[]> => {
    const response = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query: expression })}`);
    const answer = (await response.json()) as Answer;
    if (answer.status !== "success") throw new Error(`${expression}: ${answer.error}`);
    return answer.data.result.map(({ metric, value }) => ({
      labels: Object.fromEntries(Object.entries(metric).filter(([name]) => name !== "__name__")),
      value: Number(value[1]),
    }));
  };
  const exemplars = async (selector: string): Promise<readonly Readonly<Record<string, string>>[]> => {
    const now = Date.now() / 1000;
    const range = new URLSearchParams({ query: selector, start: String(now - 3600), end: String(now) });
    const { data: series } = (await (await fetch(`${url}/api/v1/query_exemplars?${range}`)).json()) as Exemplars;
    return series.flatMap((one) => one.exemplars.map(({ labels }) => labels));
  };
  return { ...program, url, data, query, exemplars };
}

interface Answer {
  readonly status: string;
  readonly error?: string;
  readonly data: {
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>;
      readonly value: readonly [number, string];
    }[];
  };
}

interface Exemplars {
  readonly data: readonly { readonly exemplars: readonly { readonly labels: Readonly<Record<string, string>> }[] }[];
}

/** The text with each key put as its value. A key that is not there throws. */
export function replaced(text: string, replace: Readonly<Record<string, string>>): string {
  return Object.entries(replace).reduce((result, [from, to]) => {
    if (!result.includes(from)) throw new Error(`"${from}" is not in the file`);
    return result.replaceAll(from, to);
  }, text);
}

/** Prometheus looks for rule files beside its configuration, and here that is a copy. */
function withAbsolutePaths(text: string, folder: string): string {
  return text.replaceAll(
    /^(\s*-\s+["']?)([\w./*-]+\.ya?ml)(["']?)$/gm,
    (_, before: string, path: string, after: string) =>
      path.startsWith("/") ? `${before}${path}${after}` : `${before}${join(folder, path)}${after}`,
  );
}
