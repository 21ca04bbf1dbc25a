import * as v from 'valibot';

/** Text without a zero byte: it becomes an argument or a variable. */
// biome-ignore lint: the zero byte is the point
const text = v.pipe(v.string(), v.regex(/^[^\u0000]*$/u));

/** What a plugin or a command says of a standby, before a process is started for it. Its key has become a digest. */
export const standbySchema = v.object({
  key: v.array(text),
  place: v.pipe(text, v.maxLength(4096)),
  command: v.pipe(
    v.array(text),
    v.minLength(1),
    v.check(([file]) => file?.startsWith('/') ?? false, 'its first item must be an absolute path'),
  ),
  env: v.record(v.pipe(v.string(), v.regex(/^[A-Za-z_][A-Za-z0-9_]*$/)), text),
  memory: v.pipe(v.number(), v.finite(), v.minValue(1)),
});
