import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const namespace = 'builtin';

/**
 * For esbuild: in one file of CommonJS, an import of Node.js's own module is a plain `require` of it, and
 * its names are taken from that. Left to itself esbuild makes for each module that imports it an object
 * with a function for every name that it has: 0.2 MiB of a recorder's heap, and what is never used is
 * loaded. `createRequire` is the `require` of the file itself: node:module loads the loader of ES modules.
 *
 * @type {import('esbuild').Plugin}
 */
export const requiredBuiltins = {
  name: 'required-builtins',
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'import-statement'
        ? { path, namespace, sideEffects: false }
        : { path, external: true },
    );
    build.onLoad({ filter: /.*/, namespace }, ({ path }) => ({ contents: moduleOf(path) }));
  },
};

/** @param {string} path */
function moduleOf(path) {
  if (path === 'node:module') return 'export const createRequire = () => require;';
  const names = Object.keys(require(path)).filter((name) => name !== 'default');
  return [
    `const builtin = require('${path}');`,
    'export default builtin;',
    // What is not used is left out.
    ...names.map((name) => `export const ${name} = /* @__PURE__ */ (() => builtin.${name})();`),
  ].join('\n');
}
