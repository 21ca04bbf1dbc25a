/* Loader hooks: `./x.js` that is not there means `./x.ts`, and a `.ts` file is stripped of its types. */
import {existsSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {fileURLToPath} from 'node:url';
import ts from 'typescript';

const compilerOptions = {
  module: ts.ModuleKind.ESNext,
  target: ts.ScriptTarget.ES2022,
  verbatimModuleSyntax: true,
};

export const resolve = (specifier, context, next) => {
  if (!/^\.{1,2}\/.*\.js$/.test(specifier)) return next(specifier, context);
  const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
  return existsSync(source) ? {url: source.href, shortCircuit: true} : next(specifier, context);
};

export const load = async (url, context, next) => {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const text = await readFile(fileURLToPath(url), 'utf8');
  const {outputText} = ts.transpileModule(text, {compilerOptions, fileName: fileURLToPath(url)});
  return {format: 'module', source: outputText, shortCircuit: true};
};
