// Usage: node check.mjs DIRECTORY    checks that every JSON file in it is a dashboard of Grafana's types.
// The JSON becomes a literal in a TypeScript file, so unknown keys are errors too.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const directory = process.argv[2];
const files = readdirSync(directory).filter((file) => file.endsWith(".json"));
if (files.length === 0) throw new Error(`no dashboards in ${directory}`);

// JSON contains the string values of enums, not their members.
const head = `import type { Dashboard } from "@grafana/schema";
type Plain<T> = T extends string ? \`\${T}\` : T extends (infer E)[] ? Plain<E>[] : T extends object
  ? { [K in keyof T]: Plain<T[K]> } : T;
`;
const lines = files.map((file, index) => {
  const json = readFileSync(join(directory, file), "utf8");
  if (!(JSON.parse(json).panels.length > 0)) throw new Error(`${file} has no panels`);
  return `export const dashboard${index}: Plain<Dashboard> = ${json.trim()};\n`;
});
const source = head + lines.join("");
const name = new URL("./exported.ts", import.meta.url).pathname;
const options = { strict: true, noEmit: true, skipLibCheck: true, module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext, target: ts.ScriptTarget.ES2022, types: [] };
const host = ts.createCompilerHost(options);
const { getSourceFile, fileExists, readFile } = host;
host.getSourceFile = (file, ...rest) =>
  file === name ? ts.createSourceFile(file, source, ts.ScriptTarget.ES2022) : getSourceFile.call(host, file, ...rest);
host.fileExists = (file) => file === name || fileExists.call(host, file);
host.readFile = (file) => (file === name ? source : readFile.call(host, file));
const program = ts.createProgram([name], options, host);
const wrong = ts.getPreEmitDiagnostics(program);
if (wrong.length > 0) {
  console.error(ts.formatDiagnostics(wrong, { getCanonicalFileName: (file) => file, getCurrentDirectory: () => directory,
    getNewLine: () => "\n" }));
  process.exit(1);
}
console.log(`${files.length} dashboards have Grafana's types`);
