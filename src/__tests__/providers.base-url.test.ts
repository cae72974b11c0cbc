import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { parseBaseUrl, type Dialect } from '../host/providers/base-url';

const good: [dialect: Dialect, typed: string, base: string][] = [
  ['openai', 'https://api.models.example/v1', 'https://api.models.example/v1'],
  ['openai', 'https://api.models.example/v1/', 'https://api.models.example/v1'],
  ['openai', 'https://api.models.example', 'https://api.models.example/v1'],
  ['openai', 'https://api.models.example/', 'https://api.models.example/v1'],
  ['openai', 'https://api.models.example/v1/chat/completions', 'https://api.models.example/v1'],
  ['openai', 'https://api.models.example/v1/chat/completions/', 'https://api.models.example/v1'],
  ['openai', 'https://api.models.example/chat/completions', 'https://api.models.example'],
  ['openai', 'https://api.models.example/v1/models', 'https://api.models.example/v1'],
  ['openai', 'https://gateway.example/api/v1', 'https://gateway.example/api/v1'],
  ['openai', 'https://gateway.example/v1beta/openai/', 'https://gateway.example/v1beta/openai'],
  ['openai', 'https://gateway.example/v1?key=x#top', 'https://gateway.example/v1'],
  ['openai', 'api.models.example', 'https://api.models.example/v1'],
  ['openai', 'api.models.example/v1', 'https://api.models.example/v1'],
  ['openai', 'api.models.example:443', 'https://api.models.example/v1'],
  ['openai', 'api.models.example:80', 'http://api.models.example/v1'],
  ['openai', 'models.example:8080/v1', 'http://models.example:8080/v1'],
  ['openai', 'localhost:1234', 'http://localhost:1234/v1'],
  ['openai', 'localhost', 'http://localhost/v1'],
  ['openai', 'workstation:8000/v1', 'http://workstation:8000/v1'],
  ['openai', 'workstation.local', 'http://workstation.local/v1'],
  ['openai', '127.0.0.1:8080', 'http://127.0.0.1:8080/v1'],
  ['openai', '192.168.1.5:8080/v1/', 'http://192.168.1.5:8080/v1'],
  ['openai', '0.0.0.0:8080', 'http://127.0.0.1:8080/v1'],
  ['openai', 'http://[::]:8080', 'http://[::1]:8080/v1'],
  ['openai', 'http://[::1]:8080/v1', 'http://[::1]:8080/v1'],
  ['openai', '//models.example/v1', 'https://models.example/v1'],
  ['openai', 'HTTPS://API.Models.Example/v1', 'https://api.models.example/v1'],
  ['openai', '  "https://api.models.example/v1" ', 'https://api.models.example/v1'],
  ['openai', '<https://api.models.example/v1>', 'https://api.models.example/v1'],
  ['openai', 'https://user:secret@gateway.example/v1', 'https://gateway.example/v1'],
  ['anthropic', '', 'https://api.anthropic.com'],
  ['anthropic', 'https://api.models.example', 'https://api.models.example'],
  ['anthropic', 'https://api.models.example/v1', 'https://api.models.example'],
  ['anthropic', 'https://api.models.example/v1/', 'https://api.models.example'],
  ['anthropic', 'https://api.models.example/v1/messages', 'https://api.models.example'],
  ['anthropic', 'https://api.models.example/v1/models', 'https://api.models.example'],
  ['anthropic', 'https://gateway.example/anthropic', 'https://gateway.example/anthropic'],
  ['anthropic', 'https://gateway.example/anthropic/v1', 'https://gateway.example/anthropic'],
  ['anthropic', '127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['anthropic', 'api.models.example', 'https://api.models.example'],
  ['ollama', '', 'http://127.0.0.1:11434'],
  ['ollama', 'http://127.0.0.1:11434', 'http://127.0.0.1:11434'],
  ['ollama', 'http://127.0.0.1:11434/', 'http://127.0.0.1:11434'],
  ['ollama', '127.0.0.1:11434', 'http://127.0.0.1:11434'],
  ['ollama', '127.0.0.1', 'http://127.0.0.1:11434'],
  ['ollama', 'localhost', 'http://localhost:11434'],
  ['ollama', 'localhost:11434', 'http://localhost:11434'],
  ['ollama', '0.0.0.0:11434', 'http://127.0.0.1:11434'],
  ['ollama', '0.0.0.0', 'http://127.0.0.1:11434'],
  ['ollama', 'workstation', 'http://workstation:11434'],
  ['ollama', 'http://workstation', 'http://workstation'],
  ['ollama', 'https://ollama.example', 'https://ollama.example'],
  ['ollama', 'https://gateway.example/ollama/', 'https://gateway.example/ollama'],
  ['ollama', 'http://127.0.0.1:11434/api', 'http://127.0.0.1:11434'],
  ['ollama', 'http://127.0.0.1:11434/api/chat', 'http://127.0.0.1:11434'],
  ['ollama', 'http://127.0.0.1:11434/v1', 'http://127.0.0.1:11434'],
  ['ollama', 'http://127.0.0.1:11434/v1/chat/completions', 'http://127.0.0.1:11434'],
];

const bad: [dialect: Dialect, typed: string, message: RegExp][] = [
  ['openai', '', /needs a Server Address, such as/],
  ['openai', '   ', /needs a Server Address, such as/],
  ['openai', 'not an address', /is not a web address/],
  ['openai', 'http://', /is not a web address/],
  ['openai', 'http://[::1', /is not a web address/],
  ['openai', 'models.example:99999', /is not a web address/],
  ['openai', 'ftp://models.example', /does not begin with http/],
  ['openai', 'ws://models.example', /does not begin with http/],
  ['ollama', 'file:///run/ollama.sock', /does not begin with http/],
];

describe('address of a model server', () => {
  it.each(good)('%s %j → %s', (dialect, typed, base) => {
    const outcome = parseBaseUrl(typed, dialect);
    expect(outcome.ok ? outcome.address.base : outcome.message).toBe(base);
  });

  it.each(bad)('%s %j is refused', (dialect, typed, message) => {
    const outcome = parseBaseUrl(typed, dialect);
    expect(outcome.ok ? outcome.address.base : outcome.message).toMatch(message);
  });

  it('knows this machine', () => {
    const local = (typed: string) => {
      const outcome = parseBaseUrl(typed, 'openai');
      return outcome.ok && outcome.address.local;
    };
    expect(['localhost:1', '127.0.0.1:1', '0.0.0.0:1', '[::1]:1'].map(local)).toEqual(
      Array(4).fill(true),
    );
    expect(['192.168.1.5:1', 'models.example', '127.0.0.1.example'].map(local)).toEqual(
      Array(3).fill(false),
    );
  });

  it('takes a user name and password out of the address', () => {
    const outcome = parseBaseUrl('https://me:s%40crets@gateway.example/v1', 'openai');
    expect(outcome).toEqual({
      ok: true,
      address: {
        origin: 'https://gateway.example',
        base: 'https://gateway.example/v1',
        local: false,
        basicAuth: `Basic ${btoa('me:s@crets')}`,
        password: 's@crets',
      },
    });
  });

  it('never repeats a password in a message', () => {
    const outcome = parseBaseUrl('ftp://me:hunter22@gateway.example', 'openai');
    expect(outcome).toMatchObject({ ok: false });
    expect(JSON.stringify(outcome)).not.toContain('hunter22');
  });

  it('reads what it wrote, and never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.webUrl(), fc.webAuthority()),
        fc.constantFrom<Dialect>('openai', 'ollama'),
        (typed, dialect) => {
          const once = parseBaseUrl(typed, dialect);
          if (!once.ok) return;
          expect(once.address.base).toMatch(/^https?:\/\/[^/]+(?:\/.*[^/])?$/);
        },
      ),
    );
  });
});
