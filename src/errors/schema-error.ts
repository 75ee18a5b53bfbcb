import { className, read, readItems, readText } from "../core/read.ts";

/**
 * Whether arguments were refused: Zod's error of any version, or LangChain's, whose name is only "Error". Told by shape,
 * since an application may hold several copies of both.
 */
export function isSchemaError(error: unknown): boolean {
  if (className(error) === "ToolInputParsingException") return true;
  const name = readText(error, "name");
  return (name === "ZodError" || name === "$ZodError") && readItems(read(error, "issues")) !== undefined;
}
