/** The instrumentation scope; a test holds both to package.json. */
export const SCOPE_NAME = "toolspan";
export const SCOPE_VERSION = "0.1.0";
