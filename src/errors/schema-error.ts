import { className, read, readItems, readText } from "../core/read.ts";

/**
 * Whether arguments were refused: Zod's error of any version, or LangChain's, whose name is only "Error". Told by shape,
 * since an application may hold several copies of both.
 */
export function isSchemaError(error: unknown): boolean {
  const names = [readText(error, "name"), className(error)];
  if (names.includes("ToolInputParsingException")) return true;
  const isZod = names.some((name) => name === "ZodError" || name === "$ZodError");
  return isZod && readItems(read(error, "issues")) !== undefined;
}
