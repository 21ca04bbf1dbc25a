import type {Json, Launch} from 'bootcut/plugin';
import {isRecord} from './is-record.js';

/** Values a program could not hold: an environment is a list of zero-terminated lines. */
const unusable = /[\0\r\n]/;

/** Who commits inside. */
export interface Identity {
  readonly name: string;
  readonly email: string;
}

/** Name and e-mail, both or nothing: the caller's own variables before what was asked for. */
export const knownIdentity = ({env}: Launch, answer: Json | undefined): Identity | undefined => {
  const name = env['GIT_AUTHOR_NAME'] ?? field(answer, 'name');
  const email = env['GIT_AUTHOR_EMAIL'] ?? field(answer, 'email');
  const isUsable = (text: string | undefined): text is string =>
    text !== undefined && text !== '' && !unusable.test(text) && !text.includes('\ufffd');
  return isUsable(name) && isUsable(email) ? {name, email} : undefined;
};

const field = (value: Json | undefined, name: string): string | undefined => {
  const found = isRecord(value) ? value[name] : undefined;
  return typeof found === 'string' ? found : undefined;
};
