#!/bin/sh
# Records anew what the JS peers write, into the folder given (default: ../js beside this script), in a scratch copy of this folder. Node 22.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/../js}
mkdir -p "$out"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -r "$here/." "$scratch"
cd "$scratch"
npm install --ignore-scripts --legacy-peer-deps --no-audit --no-fund
for peer in openinference traceloop langfuse openlit; do
  LANGFUSE_PUBLIC_KEY=pk-lf-local LANGFUSE_SECRET_KEY=sk-lf-local node langchain.mjs "$peer" > "$out/$peer-langchain-js.json"
done
cd frameworks
npm install --ignore-scripts --legacy-peer-deps --no-audit --no-fund
for framework in ai-sdk-6 ai-sdk-7 mastra strands traceloop-mcp; do
  node record.mjs "$framework" > "$out/$framework-js.json"
done
cd ..
node verdicts.mjs > "$out/verdicts.json"
