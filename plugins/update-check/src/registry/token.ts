import type {httpClient} from 'bootcut/plugin';
import type {Challenge} from './challenge.js';

export type Http = Awaited<ReturnType<typeof httpClient>>;

export interface TokenQuestion {
  readonly http: Http;
  readonly realm: URL;
  readonly challenge: Challenge;
  readonly repository: string;
  /** Basic credentials for the realm; absent: ask as nobody. */
  readonly credentials: string | undefined;
  readonly signal: AbortSignal;
}

/** A bearer token for pulling, or undefined when the token server gives none to this asker. */
export const fetchToken = async (question: TokenQuestion): Promise<string | undefined> => {
  const {http, realm, challenge, repository, credentials, signal} = question;
  const {service, scope = `repository:${repository}:pull`} = challenge.parameters;
  const url = new URL(realm);
  if (service !== undefined) url.searchParams.set('service', service);
  for (const one of scope.split(' ').filter((text) => text !== '')) url.searchParams.append('scope', one);
  const response = await http.get(url, {
    headers: {accept: 'application/json', ...(credentials && {authorization: `Basic ${credentials}`})},
    responseType: 'buffer',
    context: {answers: [400, 401, 403, 404]},
    signal,
  });
  return response.statusCode === 200 ? tokenIn(response.body) : undefined;
};

/** Servers differ in the name (`access_token` is OAuth's); what could not stand in a header is no token. */
const tokenIn = (body: Uint8Array): string | undefined => {
  const answer: unknown = JSON.parse(new TextDecoder().decode(body));
  if (typeof answer !== 'object' || answer === null) return undefined;
  const {token, access_token: accessToken} = answer as Record<string, unknown>;
  return [token, accessToken].find((text): text is string => typeof text === 'string' && /^[\x21-\x7e]+$/.test(text));
};
