/** A host that somebody will want to talk TLS to. */
export interface FarHost {
  readonly host: string;
  readonly port: number;
  /** `host:port` in lower case, as a CONNECT names it. */
  readonly name: string;
}

/** `host`, `host:port`, `[address]:port`; nothing for anything else. The port defaults to 443. */
export const parseHost = (text: string): readonly FarHost[] => {
  const [, bracketed, plain, digits = '443'] =
    /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = (bracketed ?? plain ?? '').toLowerCase();
  const port = Number(digits);
  if (host === '' || port < 1 || port > 65_535) return [];
  return [{host, port, name: bracketed === undefined ? `${host}:${port}` : `[${host}]:${port}`}];
};
