import {describe, it} from 'vitest';
import {redact} from '../../../src/system/redact.js';
import {visible} from '../../../src/system/visible.js';

describe('redact takes out', () => {
  const secrets: readonly (readonly [string, string])[] = [
    ['https://x-access-token:SECRET123@github.com/o/r.git', 'https://github.com/o/r.git'],
    ['https://SECRET123@github.com/o/r.git', 'https://github.com/o/r.git'],
    ['http://u:SECRET000@127.0.0.1:9', 'http://127.0.0.1:9'],
    ['http://u:SE@CRET@127.0.0.1:9/x', 'http://127.0.0.1:9/x'],
    ['http://u:SEC/RET@127.0.0.1:9/x', 'http://127.0.0.1:9/x'],
    ['ssh://git:SECRET@[::1]:22/x', 'ssh://[::1]:22/x'],
    ['{"url":"https://u:SECRET@h/x"}', '{"url":"https://h/x"}'],
    [
      'fatal: could not read from https://u:SECRET@h/a and https://v:SECRET@h/b',
      'fatal: could not read from https://h/a and https://h/b',
    ],
    ['GH_TOKEN=SECRET456', 'GH_TOKEN=[redacted]'],
    ['GH_TOKEN=SECRET456 MORE=1', 'GH_TOKEN=[redacted] MORE=1'],
    ['{"GH_TOKEN":"SECRET456","a":1}', '{"GH_TOKEN":"[redacted]","a":1}'],
    ['{"text":"{\\"token\\":\\"SECRET456\\"}"}', '{"text":"{\\"token\\":\\"[redacted]\\"}"}'],
    ['password: SECRET', 'password: [redacted]'],
    ['password="SECRET with SECRET words"', 'password="[redacted]"'],
    ['"password": "SECRET \\" SECRET"', '"password": "[redacted]"'],
    ['AWS_SECRET_ACCESS_KEY=SECRET', 'AWS_SECRET_ACCESS_KEY=[redacted]'],
    ['X-Api-Key: SECRET', 'X-Api-Key: [redacted]'],
    ['PRIVATE-TOKEN: SECRET', 'PRIVATE-TOKEN: [redacted]'],
    ['client_secret=SECRET&grant=x', 'client_secret=[redacted]&grant=x'],
    ['?access_token=SECRET789&x=1', '?access_token=[redacted]&x=1'],
    ['Authorization: Basic U0VDUkVU', 'Authorization: [redacted]'],
    ['authorization: token SECRET', 'authorization: [redacted]'],
    ['{"authorization":"Bearer SECRET"}', '{"authorization":"[redacted]"}'],
    ['Proxy-Authorization: Basic U0VDUkVU', 'Proxy-Authorization: [redacted]'],
    ['sent Bearer SECRET1234567890', 'sent Bearer [redacted]'],
    ['sent Basic dTpTRUNSRVQ=x12', 'sent Basic [redacted]'],
    ['gh auth --with-token ghp_SECRET1234567890', 'gh auth --with-token [redacted]'],
    ['tool --api-key SECRET --x', 'tool --api-key [redacted] --x'],
    ['tool --token=SECRET', 'tool --token=[redacted]'],
    ['github_pat_SECRET_1234567890', '[redacted]'],
    ['ghs_SECRET1234567890 and gho_SECRET1234567890', '[redacted] and [redacted]'],
    ['npm_SECRET1234567890, glpat-SECRET-123456, sk-ant-SECRET-1234567890123', '[redacted], [redacted], [redacted]'],
    ['eyJhbGciOiJub25lIn0.eyJzdWIiOiJTRUNSRVQifQ.SECRET', '[redacted]'],
  ];
  for (const [text, expected] of secrets) {
    it(`what is secret in ${text}`, ({expect}) => {
      expect(redact(text)).toBe(expected);
      expect(redact(redact(text))).toBe(expected);
    });
  }
});

describe('redact in a line of JSON', () => {
  it('leaves it JSON', ({expect}) => {
    const facts = {
      token: null,
      password: 5,
      api_key: 'SECRET "x" SECRET',
      nested: {text: '{"token":"SECRET"}', list: [{secret: true}], argv: 'a --token SECRET'},
      env: ['GH_TOKEN=SECRET', 'Authorization: Bearer SECRET'],
      url: 'https://u:SECRET@h/x',
    };
    const line = redact(JSON.stringify(facts));
    expect(line).not.toMatch(/SECRET/);
    expect(JSON.parse(line)).toMatchObject({token: null, nested: {list: [{secret: true}]}, url: 'https://h/x'});
  });
});

describe('redact leaves alone', () => {
  const harmless = [
    'a basic example of a bearer certificate and a token refreshed',
    'basic authentication is not supported',
    'token refresh failed after 3 attempts',
    'the secret of good coffee',
    'no password was asked for',
    'https://github.com/o/r.git',
    'http://localhost:8080/@scope/package',
    'https://registry.example.org/@keyv/redis/-/redis-5.1.6.tgz',
    'http://[::1]:5000/a@sha256:0123',
    'git@github.com:o/r.git',
    'ann@example.org wrote to bob@example.org',
    '===> Secret service started, tokens: 300',
    'sk-learn and npm_config',
    '{"at":"2026-01-01T00:00:00.000Z","pid":1,"event":"launch"}',
  ];
  for (const text of harmless) it(text, ({expect}) => expect(redact(text)).toBe(text));

  it('a megabyte of one word, in no time to speak of', ({expect}) => {
    const text = 'a'.repeat(1_000_000);
    expect(redact(text)).toBe(text);
    expect(redact(`${'token'.repeat(10_000)}`)).toBe('token'.repeat(10_000));
    expect(redact(`${'a:'.repeat(100_000)}`)).toBe('a:'.repeat(100_000));
  });
});

describe('visible', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['Ann "Q" Lee\\', 'Ann "Q" Lee\\'],
    ['A\n[core]\n\tsshCommand = touch pwned', 'A\\x0a[core]\\x0a\\x09sshCommand = touch pwned'],
    ['x # y ; z', 'x # y ; z'],
    ['\u001b[31mred\u001b[0m', '\\x1b[31mred\\x1b[0m'],
    ['\u001b]0;title\u0007', '\\x1b]0;title\\x07'],
    ['\u009b31m', '\\x9b31m'],
    ['a\u202eb', 'a\\u202eb'],
    ['a\u2066b\u2069', 'a\\u2066b\\u2069'],
    ['a\u0000b', 'a\\x00b'],
    ['a\rb', 'a\\x0db'],
    ['a\u200bb\ufeff\u00ad', 'a\\u200bb\\ufeff\\xad'],
    ['half \ud83d', 'half \\ud83d'],
    ['tag \u{e0041}', 'tag \\u{e0041}'],
    ['🚀 ünïcode 項目', '🚀 ünïcode 項目'],
    ['', ''],
  ];
  for (const [text, expected] of cases) {
    it(`shows ${JSON.stringify(text)} as ${JSON.stringify(expected)}`, ({expect}) => {
      expect(visible(text)).toBe(expected);
    });
  }

  it('leaves nothing that a terminal obeys, of all that there is', ({expect}) => {
    const all = Array.from({length: 0x11_0000}, (_, code) => String.fromCodePoint(code)).join('');
    expect(visible(all)).not.toMatch(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}]/u);
  });
});
