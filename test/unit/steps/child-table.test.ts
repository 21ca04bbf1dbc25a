import {afterEach, beforeEach, describe, it, type Mock, vi} from 'vitest';
import {ChildTable} from '../../../src/steps/child-table.js';

/** Replaced throughout: the real one would be handed what must never be sent. */
let kill: Mock<typeof process.kill>;
beforeEach(() => {
  kill = vi.spyOn(process, 'kill').mockReturnValue(true);
});
afterEach(() => kill.mockRestore());

describe('a table of children', () => {
  it('ends the groups that have started and not ended, once', ({expect}) => {
    const table = new ChildTable();
    const other = new ChildTable(table.memory); // the thread's side
    for (const pid of [2_000_000_001, 2_000_000_002, 2_000_000_003]) other.add(pid);
    other.delete(2_000_000_002);
    table.kill();
    table.kill();
    expect(kill.mock.calls).toEqual([
      [-2_000_000_001, 'SIGKILL'],
      [-2_000_000_003, 'SIGKILL'],
    ]);
  });

  it('never ends every process, our own group, or a single process', ({expect}) => {
    const table = new ChildTable();
    new Int32Array(table.memory).set([1, 0, -1, -2, -2_147_483_648]);
    table.kill();
    expect(kill.mock.calls).toEqual([]);
  });

  it('goes on when one has gone by itself', ({expect}) => {
    const table = new ChildTable();
    table.add(2_000_000_001);
    table.add(2_000_000_002);
    kill.mockImplementationOnce(() => {
      throw new Error('ESRCH');
    });
    table.kill();
    expect(kill).toHaveBeenCalledTimes(2);
  });

  it('uses a place again, and takes what does not fit for nothing', ({expect}) => {
    const table = new ChildTable();
    for (let pid = 1_000_000; pid < 1_001_000; pid += 1) {
      table.add(pid);
      table.delete(pid);
    }
    for (let pid = 1_000_000; pid < 1_001_000; pid += 1) table.add(pid);
    table.kill();
    expect(kill).toHaveBeenCalledTimes(256);
  });
});
