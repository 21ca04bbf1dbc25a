import type {Got} from 'got';
import type {Launch} from '../model/launch.js';

/** A got instance for this launch. */
export const httpClient = async (_launch: Launch): Promise<Got> => {
  const {got} = await import('got');
  return got.extend({});
};
