import {mappedFiles, type TouchedFile} from './mapped-files.js';
import {namedFiles, openedFiles} from './opened-files.js';
import {processTree} from './process-tree.js';

/** Most files of one launch that are kept, of each kind. */
const mostFiles = 2000;

/** Places whose files are no files, or are gone before the next launch. */
const passedOver = /^\/(?:dev|proc|sys|run)\//;

type Blocks = Map<string, Set<number>>;

/** What a launch has read so far, in the order in which it was seen. */
export class SeenFiles {
  /** Of these it is known what is in memory. */
  readonly #mapped: Blocks = new Map();
  /** Of these no more than that they are open, or named. */
  readonly #whole: Blocks = new Map();

  /** Looks at a process and its descendants once. */
  look(pid: number): void {
    for (const member of processTree(pid)) {
      for (const file of mappedFiles(member)) this.addMapped(file);
      for (const file of [...openedFiles(member), ...namedFiles(member)]) this.addWhole(file);
    }
  }

  addMapped(file: TouchedFile): void {
    add(this.#mapped, file);
  }

  addWhole(file: TouchedFile): void {
    add(this.#whole, file);
  }

  get files(): readonly TouchedFile[] {
    const whole = [...this.#whole].filter(([path]) => !this.#mapped.has(path));
    return [...this.#mapped, ...whole].map(([path, blocks]) => ({path, blocks: [...blocks].sort((a, b) => a - b)}));
  }
}

const add = (files: Blocks, {path, blocks}: TouchedFile): void => {
  if (passedOver.test(path) || (files.size >= mostFiles && !files.has(path))) return;
  const known = files.get(path) ?? new Set();
  files.set(path, known);
  for (const block of blocks) known.add(block);
};
