import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';

/** Notes every module that a Node loads through its ES loader: with these options. */
export const noteModules = (
  directory: string,
): {readonly options: readonly string[]; readonly read: () => readonly string[]} => {
  const [list, hooks, entry] = ['modules.txt', 'hooks.mjs', 'note.mjs'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(list, '');
  writeFileSync(
    hooks,
    `import {appendFileSync} from 'node:fs';
export const load = async (url, context, next) => {
  appendFileSync(${JSON.stringify(list)}, url + '\\n');
  return await next(url, context);
};`,
  );
  writeFileSync(entry, `import {register} from 'node:module'; register(${JSON.stringify(pathToFileURL(hooks).href)});`);
  return {
    options: [`--import=${pathToFileURL(entry).href}`],
    read: () => readFileSync(list, 'utf8').split('\n').filter(Boolean),
  };
};
