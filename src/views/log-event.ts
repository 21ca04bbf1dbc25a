import {visible} from '../system/visible.js';

/** One event of a log as a line: local time, process, event, then what belongs to it. */
export const logEventView = (event: Readonly<Record<string, unknown>>): string => {
  const {at, pid, event: name, ...facts} = event;
  const head = [timeText(at), plain(pid), plain(name)].filter((part) => part !== '');
  const tail = Object.entries(facts).map(([key, value]) =>
    key === 'text' ? plain(value) : `${visible(key)}=${plain(value)}`,
  );
  return [...head, ...tail].join('  ');
};

const timeText = (at: unknown): string => {
  const time = new Date(typeof at === 'string' ? at : Number.NaN);
  if (Number.isNaN(time.getTime())) return plain(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  const date = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${date} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
};

/** A stack goes on in lines of its own, indented; everything else stays on the line. */
const plain = (value: unknown): string => {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.split('\n').map(visible).join('\n    ');
};
