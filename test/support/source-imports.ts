/** One import or re-export of a source file. */
export interface SourceImport {
  /** As written: `./errors.ts`, `node:fs`, `better-sqlite3`. */
  specifier: string;
  /** `static` loads when the file loads, `dynamic` when it is called, `type` never. */
  kind: 'static' | 'dynamic' | 'type';
}

/**
 * Every import of a TypeScript source. A text search and no parser: it relies on the formatter's
 * shape of import statements, which the lint keeps.
 */
export function sourceImports(source: string): SourceImport[] {
  const code = withoutComments(source);
  const imports: SourceImport[] = [];
  const statement = /^(?:import|export)\s+(type\s+)?(?:[\w*{][^'";]*?\bfrom\s+)?['"]([^'"]+)['"]/gm;
  for (const [, type, specifier] of code.matchAll(statement)) {
    imports.push({ specifier: specifier ?? '', kind: type === undefined ? 'static' : 'type' });
  }
  const call = /\b(?:import|require)\(\s*['"`]([^'"`]+)['"`]/g;
  for (const [, specifier] of code.matchAll(call)) {
    imports.push({ specifier: specifier ?? '', kind: 'dynamic' });
  }
  return imports;
}

/** The source with its comments blanked; strings that look like comments stay. */
export function withoutComments(source: string): string {
  const token =
    /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
  return source.replace(token, (text) => (text.startsWith('/') ? '' : text));
}
