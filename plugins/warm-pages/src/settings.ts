import type {Launch} from 'bootcut/plugin';

/** Most memory that pages of one launch may take, in bytes: the setting `memory`, in MiB. 0, which is the default: off. */
export const memoryBudget = ({settings}: Pick<Launch, 'settings'>): number => {
  const mebibytes = settings['memory'];
  return typeof mebibytes === 'number' && Number.isFinite(mebibytes) && mebibytes > 0
    ? Math.floor(mebibytes) * 1_048_576
    : 0;
};
